package io.github.gramian.serve.batch.internal;

/** Receives what a {@link Batcher} does; called on its thread, so it must be fast. */
public interface BatchListener {

    /** Ignores everything. */
    BatchListener NONE = new BatchListener() {
        @Override
        public void onWaited(long nanos) {}

        @Override
        public void onBatch(int size, long nanos) {}
    };

    /** An input has waited this long for its batch to start. */
    void onWaited(long nanos);

    /** A batch of this number of inputs has been computed in this time. */
    void onBatch(int size, long nanos);
}
