package io.github.gramian.serve.batch.internal;

/** Is told what a {@link Batcher} does; called on its thread, so it must be quick. */
public interface BatchListener {

    /** An input has waited this long for its batch to start. */
    void onWaited(long nanos);

    /** A batch of so many inputs has been computed in this time. */
    void onBatch(int size, long nanos);
}
