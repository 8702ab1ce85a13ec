package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;

/**
 * How far each image is from the others: the mean of 1 − cosine over its nearest ones, of descriptors relative to their
 * mean.
 *
 * @param distances image after image
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record NearestRows(double[] distances) {

    /** Rows that are compared with all others at a time. */
    private static final int BLOCK = 512;

    /** A row without a direction, such as that of a blank image, is as far from all others as unrelated images are. */
    private static final double TINY = 1e-30;

    /**
     * Compares all pairs.
     *
     * @param neighbours number of nearest images; fewer if there are fewer others
     */
    public static NearestRows of(CrossValidation rows, int neighbours) {
        Tensor gram = rows.gram();
        int n = rows.labels().length;
        int count = Math.min(neighbours, n - 1);
        double[] distances = new double[n];
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor lengths = gram.diagonal().clamp_min(scalar(TINY)).sqrt();
            for (int from = 0; from < n; from += BLOCK) {
                try (Scope step = Scope.open()) {
                    int size = Math.min(BLOCK, n - from);
                    Tensor cosines = gram.narrow(0, from, size)
                            .div(lengths.narrow(0, from, size).unsqueeze(1))
                            .div(lengths.unsqueeze(0));
                    cosines.diagonal(from, 0, 1)
                            .fill_(scalar(Double.NEGATIVE_INFINITY)); // no image is its own neighbour
                    T_TensorTensor_T nearest = cosines.topk(count, 1, true, false);
                    Scope.share(nearest.get1());
                    double[] means = HeldOut.values(Scope.share(nearest.get0()).mean(1));
                    for (int i = 0; i < size; i++) {
                        distances[from + i] = 1 - means[i];
                    }
                }
            }
        }
        return new NearestRows(distances);
    }
}
