package io.github.gramian.feature.internal;

import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * The same images several times, in several versions: first all images in the first version, then all in the second. Batches
 * never mix versions.
 *
 * @param versions sources with the same images in the same order
 */
public record JoinedSource(List<? extends BatchSource> versions) implements BatchSource {

    public JoinedSource {
        versions = List.copyOf(versions);
    }

    private int images() {
        return versions.get(0).count();
    }

    @Override
    public int count() {
        return versions.size() * images();
    }

    @Override
    public int[] labels() {
        int[] labels = versions.get(0).labels();
        return IntStream.range(0, count()).map(i -> labels[i % labels.length]).toArray();
    }

    @Override
    public int[] groups() {
        int[] groups = versions.get(0).groups();
        return IntStream.range(0, count()).map(i -> groups[i % groups.length]).toArray();
    }

    @Override
    public boolean sharesGroups() {
        return versions.get(0).sharesGroups();
    }

    @Override
    public boolean enoughToChoose() {
        return versions.get(0).enoughToChoose();
    }

    @Override
    public int views() {
        return versions.get(0).views();
    }

    @Override
    public Optional<PcaCache> components(int branch) {
        return versions.get(0).components(branch);
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        return new Parts(order, batchSize, seed);
    }

    /** One stream after another, each of neighbours in the order that have the same version. */
    private final class Parts implements Stream {

        private final int[] order;
        private final int batchSize;
        private final Seed seed;
        private int opened;
        private int version;
        private Stream current = new Nothing();

        Parts(int[] order, int batchSize, Seed seed) {
            this.order = order.clone();
            this.batchSize = batchSize;
            this.seed = seed;
        }

        @Override
        public boolean hasNext() {
            return current.hasNext() || opened < order.length;
        }

        @Override
        public Batch next() {
            if (!current.hasNext()) {
                openNext();
            }
            Batch batch = current.next();
            int shift = version * images();
            int[] own = Arrays.stream(batch.images()).map(i -> i + shift).toArray();
            return new Shifted(batch, own);
        }

        private void openNext() {
            if (opened == order.length) {
                throw new NoSuchElementException("all batches were delivered");
            }
            current.close();
            version = order[opened] / images();
            int end = opened;
            while (end < order.length && order[end] / images() == version) {
                end++;
            }
            int[] part =
                    Arrays.stream(order, opened, end).map(i -> i % images()).toArray();
            opened = end;
            current = versions.get(version).open(part, batchSize, seed.child(version));
        }

        @Override
        public void close() {
            current.close();
        }
    }

    private static final class Nothing implements Stream {
        @Override
        public boolean hasNext() {
            return false;
        }

        @Override
        public Batch next() {
            throw new NoSuchElementException("there are no batches");
        }

        @Override
        public void close() {}
    }

    @SuppressWarnings("ArrayRecordComponent") // lives for one step
    private record Shifted(Batch batch, int[] images) implements Batch {

        @Override
        public List<Tensor> maps() {
            return batch.maps();
        }

        @Override
        public void backward(List<Tensor> gradients) {
            batch.backward(gradients);
        }
    }
}
