package io.github.gramian.lab;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.dense.internal.Surface;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Methods of others that find defects from good photographs, on the features that {@link Surface} sees, and how maps are judged. */
final class DefectRivals {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Largest share of good pixels that an AUPRO counts; Bergmann et al., 2019. */
    private static final double PRO_LIMIT = 0.3;

    private static final int PRO_STEPS = 60;

    private DefectRivals() {}

    /** A method after it was fitted to good photographs. */
    interface Fitted extends AutoCloseable {

        /** The map of scores, [height, width], from the feature maps of all layers. */
        Tensor map(List<Tensor> maps);

        @Override
        default void close() {}
    }

    /** [height, width], smoothed as {@link Surface} smooths. */
    private static Tensor smooth(Tensor scores, Tensor finest) {
        return Surface.smoothed(scores.reshape(1, 1, finest.size(2), finest.size(3)))
                .squeeze();
    }

    /** PatchCore (Roth et al., 2022): the distance to the nearest of a coreset of all good cells. */
    static final class PatchCore implements Fitted {

        private static final int SKETCH = 128;

        /** Cells whose distances to the coreset are in memory together. */
        private static final long PORTION = 512;

        private final Tensor coreset;
        private final Tensor squares;

        private PatchCore(Tensor coreset) {
            this.coreset = coreset;
            this.squares = Scope.own(coreset.square().sum(1));
        }

        /**
         * Greedy k-centre: the cell farthest from all chosen ones comes next, by distances of random projections. The first
         * cells are those of a smaller coreset, so one run gives several.
         *
         * @param cells of all good photographs, [cells, channels]
         * @param shares sizes of the coresets, relative to the number of cells, the largest one last
         */
        static List<PatchCore> fit(Tensor cells, Seed seed, double... shares) {
            int largest = (int) Math.max(1, shares[shares.length - 1] * cells.size(0));
            long[] chosen = new long[largest];
            chosen[0] = new SplittableRandom(seed.value()).nextLong(cells.size(0));
            try (Scope scope = Scope.open()) {
                Tensor sketch = cells.matmul(seed.child("sketch").normal(FLOAT, cells.size(1), SKETCH));
                Tensor lengths = sketch.square().sum(1);
                Tensor nearest =
                        torch.full(new long[] {cells.size(0)}, scalar((double) Float.MAX_VALUE), FLOAT.options());
                for (int i = 1; i < largest; i++) {
                    try (Scope step = Scope.open()) {
                        Tensor last = sketch.select(0, chosen[i - 1]);
                        Tensor distances =
                                lengths.sub(sketch.mv(last).mul(scalar(2.0))).add(lengths.select(0, chosen[i - 1]));
                        nearest.copy_(nearest.minimum(distances));
                        chosen[i] = nearest.argmax(new LongOptional(), false).item_long();
                    }
                }
            }
            List<PatchCore> fitted = new ArrayList<>();
            for (double share : shares) {
                try (Scope scope = Scope.open()) {
                    long[] first = Arrays.copyOf(chosen, (int) Math.max(1, share * cells.size(0)));
                    fitted.add(new PatchCore(Scope.own(cells.index_select(0, torch.tensor(first)))));
                }
            }
            return fitted;
        }

        @Override
        public Tensor map(List<Tensor> maps) {
            Tensor cells = Surface.cells(maps);
            List<Tensor> nearest = new ArrayList<>();
            for (long first = 0; first < cells.size(0); first += PORTION) {
                try (Scope scope = Scope.open()) {
                    Tensor some = cells.narrow(0, first, Math.min(PORTION, cells.size(0) - first));
                    Tensor distances = squares.sub(some.matmul(coreset.t()).mul_(scalar(2.0)));
                    Tensor least = distances
                            .amin(new long[] {1}, false)
                            .add(some.square().sum(1));
                    nearest.add(scope.promote(least.clamp_min(scalar(0.0)).sqrt()));
                }
            }
            return smooth(torch.cat(new TensorVector(nearest.toArray(Tensor[]::new)), 0), maps.get(0));
        }

        @Override
        public void close() {
            Scope.disown(coreset);
            Scope.disown(squares);
        }
    }

    /** PaDiM (Defard et al., 2020): the Mahalanobis distance to the good cells of the same place, in random channels. */
    static final class Padim implements Fitted {

        private static final int CHANNELS = 100;
        private static final double RIDGE = 0.01;

        private final Tensor channels;
        private final Tensor means;
        private final Tensor inverses;

        private Padim(Tensor channels, Tensor means, Tensor inverses) {
            this.channels = channels;
            this.means = means;
            this.inverses = inverses;
        }

        /** @param photographs cells of each good photograph, [cells, channels] */
        static Padim fit(List<Tensor> photographs, Seed seed) {
            try (Scope scope = Scope.open()) {
                long[] drawn = seed.random()
                        .ints(0, Math.toIntExact(photographs.get(0).size(1)))
                        .distinct()
                        .limit(Math.min(CHANNELS, photographs.get(0).size(1)))
                        .asLongStream()
                        .toArray();
                Tensor channels = torch.tensor(drawn);
                Tensor[] chosen = photographs.stream()
                        .map(cells -> cells.index_select(1, channels))
                        .toArray(Tensor[]::new);
                // [cells, photographs, channels]
                Tensor rows = torch.stack(new TensorVector(chosen), 1);
                Tensor means = rows.mean(1).unsqueeze(1);
                Tensor centred = rows.sub(means);
                Tensor covariances =
                        centred.transpose(1, 2).matmul(centred).div(scalar(Math.max(1.0, photographs.size() - 1)));
                covariances.diagonal(0, 1, 2).add_(scalar(RIDGE));
                return new Padim(Scope.own(channels), Scope.own(means), Scope.own(torch.linalg_inv(covariances)));
            }
        }

        @Override
        public Tensor map(List<Tensor> maps) {
            Tensor rows =
                    Surface.cells(maps).index_select(1, channels).unsqueeze(1).sub(means);
            Tensor squares = rows.matmul(inverses).mul(rows).sum(2);
            return smooth(squares.clamp_min(scalar(0.0)).sqrt(), maps.get(0));
        }

        @Override
        public void close() {
            Scope.disown(channels);
            Scope.disown(means);
            Scope.disown(inverses);
        }
    }

    /** The probability that a value of the first array is larger than one of the second; of equal values half. */
    static double auroc(float[] larger, float[] smaller) {
        float[] sorted = smaller.clone();
        Arrays.sort(sorted);
        double sum = 0;
        for (float value : larger) {
            sum += (below(sorted, value) + below(sorted, Math.nextUp(value))) / 2.0;
        }
        return sum / ((double) larger.length * smaller.length);
    }

    private static int below(float[] sorted, float value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * AUPRO: the mean share of a flaw that is marked, over thresholds that mark at most {@value #PRO_LIMIT} of the good pixels.
     *
     * @param flaws scores of the pixels of each flaw
     * @param good scores of all good pixels
     */
    static double aupro(List<float[]> flaws, float[] good) {
        float[] sorted = good.clone();
        Arrays.sort(sorted);
        double area = 0;
        double previous = 0;
        for (int step = 0; step <= PRO_STEPS; step++) {
            int marked = (int) (PRO_LIMIT * step / PRO_STEPS * sorted.length);
            float threshold = sorted[sorted.length - 1 - Math.min(marked, sorted.length - 1)];
            double overlap = 0;
            for (float[] flaw : flaws) {
                int found = 0;
                for (float value : flaw) {
                    found += value > threshold ? 1 : 0;
                }
                overlap += (double) found / flaw.length / flaws.size();
            }
            area += step > 0 ? (previous + overlap) / 2 / PRO_STEPS : 0;
            previous = overlap;
        }
        return area;
    }
}
