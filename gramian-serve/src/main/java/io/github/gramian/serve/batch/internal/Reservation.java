package io.github.gramian.serve.batch.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Places in the queue of a {@link Batcher}: used once, or given back. */
public final class Reservation<I, O> implements AutoCloseable {

    private final Batcher<I, O> batcher;
    private final int count;
    private final long deadline;
    private final AtomicBoolean used = new AtomicBoolean();

    Reservation(Batcher<I, O> batcher, int count, long deadline) {
        this.batcher = batcher;
        this.count = count;
        this.deadline = deadline;
    }

    /**
     * Queues as many inputs as were reserved. The answer has the outputs in their order, or fails with
     * {@link TooLateException} at the deadline if the network has not started by then, or with whatever the work threw.
     */
    public CompletableFuture<List<O>> submit(List<I> inputs) {
        if (inputs.size() != count) {
            throw new IllegalArgumentException(count + " places were reserved, not " + inputs.size());
        }
        if (!used.compareAndSet(false, true)) {
            throw new IllegalStateException("these places have been used or given back");
        }
        Submission<O> submission = new Submission<>(count, deadline);
        batcher.enter(List.copyOf(inputs), submission);
        return submission.answer();
    }

    /** Gives the places back if they have not been used. */
    @Override
    public void close() {
        if (used.compareAndSet(false, true)) {
            batcher.release(count);
        }
    }
}
