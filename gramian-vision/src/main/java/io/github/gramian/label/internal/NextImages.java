package io.github.gramian.label.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Chooses the images whose labels make the predictions of the uncertain images surer. The prediction of an image x by ridge
 * regression has the variance xᵀPx with P = (Σ xᵢxᵢᵀ + λI)⁻¹ over the labelled images. It does not depend on their labels. One
 * more labelled image z lowers the sum of w(x) xᵀPx over all images by zᵀPMPz / (1 + zᵀPz) with M = Σ w(x) xxᵀ. So the image
 * with the largest fall stands among many uncertain images and far from those that have a label; after it was chosen, P is
 * that of one more image, and images like it teach little.
 *
 * @param space of the images
 * @param seed of the choice of images that stand for all
 */
record NextImages(ImageSpace space, Seed seed) {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Among more images, the most uncertain ones are candidates. */
    private static final int CANDIDATES = 2048;

    /** Of more images, a random choice stands for all. */
    private static final int SAMPLE = 4096;

    /** In units of the mean squared length of a descriptor. */
    private static final double RELATIVE_LAMBDA = 0.1;

    /**
     * The images to label next, the most useful first.
     *
     * @param count the most that are returned
     * @param labelled images that have a label
     * @param open images that may be chosen
     * @param uncertainty of every image, from 0
     */
    int[] choose(int count, int[] labelled, int[] open, float[] uncertainty) {
        if (open.length == 0 || count < 1) {
            return new int[0];
        }
        int[] candidates = mostUncertain(open, uncertainty);
        return space.with(X -> {
            Tensor P = FLOAT.place(inverse(X, labelled));
            int[] sample = sample(open);
            Tensor rows = X.index_select(0, HostCopy.labels(sample, FLOAT));
            Tensor M = rows.mul(column(sample, uncertainty)).t().matmul(rows);
            Tensor C = X.index_select(0, HostCopy.labels(candidates, FLOAT));
            Tensor Z = C.matmul(P);
            return new Greedy(HostCopy.rows(C), HostCopy.rows(Z), HostCopy.rows(Z.matmul(M)))
                    .choose(Math.min(count, candidates.length), candidates);
        });
    }

    private static int[] mostUncertain(int[] open, float[] uncertainty) {
        if (open.length <= CANDIDATES) {
            return open;
        }
        float[] sorted = new float[open.length];
        for (int i = 0; i < open.length; i++) {
            sorted[i] = uncertainty[open[i]];
        }
        Arrays.sort(sorted);
        float least = sorted[open.length - CANDIDATES];
        int[] above =
                IntStream.of(open).filter(image -> uncertainty[image] > least).toArray();
        IntStream equal = IntStream.of(open).filter(image -> uncertainty[image] == least);
        return IntStream.concat(IntStream.of(above), equal.limit(CANDIDATES - above.length))
                .toArray();
    }

    private int[] sample(int[] open) {
        if (open.length <= SAMPLE) {
            return open;
        }
        SplittableRandom random = seed.child("sample").random();
        int[] shuffled = open.clone();
        for (int i = 0; i < SAMPLE; i++) {
            int other = i + random.nextInt(shuffled.length - i);
            int drawn = shuffled[other];
            shuffled[other] = shuffled[i];
            shuffled[i] = drawn;
        }
        return Arrays.copyOf(shuffled, SAMPLE);
    }

    private static Tensor column(int[] images, float[] uncertainty) {
        float[] values = new float[images.length];
        for (int i = 0; i < images.length; i++) {
            values[i] = uncertainty[images[i]];
        }
        return Tensor.create(values).unsqueeze(1);
    }

    /** P in double: [d, d]. */
    private Tensor inverse(Tensor X, int[] labelled) {
        Tensor A = torch.eye(space.dimensions(), DOUBLE.options()).mul_(scalar(RELATIVE_LAMBDA * space.meanSquare()));
        if (labelled.length > 0) {
            Tensor rows = X.index_select(0, HostCopy.labels(labelled, FLOAT));
            A.add_(DOUBLE.place(rows.t().matmul(rows)));
        }
        return torch.cholesky_inverse(torch.linalg_cholesky(A));
    }

    /** One candidate after the other; each changes P by a matrix of rank one. */
    @SuppressWarnings("ArrayRecordComponent") // lives for one choice
    private record Greedy(float[][] rows, float[][] Z, float[][] ZM) {

        int[] choose(int count, int[] images) {
            int[] chosen = new int[count];
            boolean[] taken = new boolean[rows.length];
            for (int i = 0; i < count; i++) {
                int best = best(taken);
                taken[best] = true;
                chosen[i] = images[best];
                if (i + 1 < count) {
                    update(best);
                }
            }
            return chosen;
        }

        private int best(boolean[] taken) {
            int best = -1;
            double most = Double.NEGATIVE_INFINITY;
            for (int c = 0; c < rows.length; c++) {
                if (!taken[c]) {
                    double fall = dot(ZM[c], Z[c]) / (1 + dot(Z[c], rows[c]));
                    if (fall > most) {
                        most = fall;
                        best = c;
                    }
                }
            }
            return best;
        }

        /** P − Pzzᵀ P / (1 + zᵀPz), seen from each candidate c: Pc falls by Pz (zᵀPc) / (1 + zᵀPz). */
        private void update(int chosen) {
            float[] z = Z[chosen].clone();
            float[] zM = ZM[chosen].clone();
            double denominator = 1 + dot(z, rows[chosen]);
            for (int c = 0; c < rows.length; c++) {
                float share = (float) (dot(rows[c], z) / denominator);
                for (int k = 0; k < z.length; k++) {
                    Z[c][k] -= share * z[k];
                    ZM[c][k] -= share * zM[k];
                }
            }
        }

        private static double dot(float[] a, float[] b) {
            float sum = 0;
            for (int k = 0; k < a.length; k++) {
                sum += a[k] * b[k];
            }
            return sum;
        }
    }
}
