package io.github.gramian.run.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.ForwardingSource;
import io.github.gramian.tensor.Seed;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Whether a training was cancelled. All of its loops check the same token: features, fits, epochs, evaluation. A stage of
 * gradient descent saves a checkpoint before it stops; all other work has nothing to save and is repeated when the run is
 * resumed, so it checks the token before each batch and throws.
 *
 * <p>Belongs to one thread.
 */
public final class CancellationToken {

    /** A user waits no longer than five seconds, and the current batch takes a part of them. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final BooleanSupplier requested;
    private final Supplier<? extends RuntimeException> exception;
    private boolean seen;
    private long firstSeen;

    /**
     * @param requested whether the caller wants the training to stop
     * @param exception thrown when work is cancelled
     */
    public CancellationToken(BooleanSupplier requested, Supplier<? extends RuntimeException> exception) {
        this.requested = requested;
        this.exception = exception;
    }

    public static CancellationToken never() {
        return new CancellationToken(() -> false, IllegalStateException::new);
    }

    public boolean isCancelled() {
        return requested.getAsBoolean();
    }

    public void check() {
        if (isCancelled()) {
            throw cancelled();
        }
    }

    /** Throws if the training was cancelled some seconds ago: for work that saves its result when it is done. */
    private void checkAfterGrace() {
        if (!isCancelled()) {
            return;
        }
        if (!seen) {
            seen = true;
            firstSeen = System.nanoTime();
        } else if (System.nanoTime() - firstSeen > GRACE.toNanos()) {
            throw cancelled();
        }
    }

    /** The exception of cancelled work, for code that saves before it throws. */
    public RuntimeException cancelled() {
        return exception.get();
    }

    /** The same images; the token is checked before each batch. */
    public BatchSource checking(BatchSource images) {
        return checking(images, this::check);
    }

    /** The same images; if they are not done some seconds after the training was cancelled, the next batch throws. */
    public BatchSource checkingAfterGrace(BatchSource images) {
        return checking(images, this::checkAfterGrace);
    }

    /**
     * Images that are checked for cancellation before every batch, for work that has nothing to save on the way.
     *
     * @param check throws if the work was cancelled
     */
    public static BatchSource checking(BatchSource images, Runnable check) {
        return new ForwardingSource(images) {
            @Override
            public Stream open(int[] order, int batchSize, Seed seed) {
                Stream stream = super.open(order, batchSize, seed);
                return new Stream() {
                    @Override
                    public boolean hasNext() {
                        return stream.hasNext();
                    }

                    @Override
                    public Batch next() {
                        check.run();
                        return stream.next();
                    }

                    @Override
                    public void close() {
                        stream.close();
                    }
                };
            }
        };
    }
}
