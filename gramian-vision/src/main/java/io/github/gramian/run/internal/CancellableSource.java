package io.github.gramian.run.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.ForwardingSource;
import io.github.gramian.tensor.Seed;

/** A source that checks for cancellation before every batch: for work over images that has nothing to save on the way. */
public final class CancellableSource extends ForwardingSource {

    private final Runnable check;

    /** @param check throws if the work was cancelled */
    public CancellableSource(BatchSource source, Runnable check) {
        super(source);
        this.check = check;
    }

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
}
