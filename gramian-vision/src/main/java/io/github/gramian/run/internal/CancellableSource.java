package io.github.gramian.run.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.PcaCache;
import io.github.gramian.tensor.Seed;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A source that checks for cancellation before every batch: for work over images that has nothing to save on the way.
 *
 * @param check throws if the work was cancelled
 */
public record CancellableSource(BatchSource source, Runnable check) implements BatchSource {

    @Override
    public int count() {
        return source.count();
    }

    @Override
    public int[] labels() {
        return source.labels();
    }

    @Override
    public int[] groups() {
        return source.groups();
    }

    @Override
    public boolean sharesGroups() {
        return source.sharesGroups();
    }

    @Override
    public boolean enoughToChoose() {
        return source.enoughToChoose();
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
