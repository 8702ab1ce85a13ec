package io.github.gramian.train.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.PcaCache;
import io.github.gramian.tensor.Seed;
import java.util.Optional;

/**
 * A source that checks for a stop before every batch: for all work over images that has nothing to save on the way.
 *
 * @param ask throws if a stop was requested
 */
public record StoppableSource(BatchSource source, Runnable ask) implements BatchSource {

    @Override
    public int count() {
        return source.count();
    }

    @Override
    public int[] labels() {
        return source.labels();
    }

    @Override
    public int views() {
        return source.views();
    }

    @Override
    public Optional<PcaCache> components(int branch) {
        return source.components(branch);
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        Stream stream = source.open(order, batchSize, seed);
        return new Stream() {
            @Override
            public boolean hasNext() {
                return stream.hasNext();
            }

            @Override
            public Batch next() {
                ask.run();
                return stream.next();
            }

            @Override
            public void close() {
                stream.close();
            }
        };
    }
}
