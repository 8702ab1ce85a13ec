package io.github.gramian.serve.batch.internal;

import java.time.Duration;

/**
 * How a {@link Batcher} collects inputs: size of a batch, delay, length of the queue.
 *
 * @param size inputs of a batch at most
 * @param delay how long the first input of a batch waits for others that are on their way
 * @param queue inputs that wait or are being prepared at most; further ones are refused
 */
public record BatchLimits(int size, Duration delay, int queue) {

    private static final Duration MAX_DELAY = Duration.ofSeconds(10);

    public BatchLimits {
        if (size < 1 || size > 4096) {
            throw new IllegalArgumentException("batch.size must lie in 1..4096 but is " + size);
        }
        if (queue < 1 || queue > 65_536) {
            throw new IllegalArgumentException("batch.queue must lie in 1..65536 but is " + queue);
        }
        if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "batch.delayMillis must lie in 0.." + MAX_DELAY.toMillis() + " but is " + delay.toMillis());
        }
    }

    /** The same with smaller batches, if these are too large. */
    public BatchLimits atMost(int largest) {
        return size <= largest ? this : new BatchLimits(largest, delay, queue);
    }
}
