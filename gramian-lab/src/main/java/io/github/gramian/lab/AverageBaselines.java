package io.github.gramian.lab;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Distances to training images by average-pooled features, as others compute them, and how well such scores separate images. */
final class AverageBaselines {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int NEIGHBOURS = 5;

    /** Share of the mean variance that is added to each, since there are fewer images than dimensions. */
    private static final double SHRINKAGE = 0.1;

    private AverageBaselines() {}

    /** Mean distance to the five nearest training images, of features of length 1 (Sun et al., 2022). */
    static double[] nearest(float[][] training, float[][] asked) {
        try (Scope scope = Scope.open()) {
            Tensor known = unit(tensor(training));
            Tensor cosines = unit(tensor(asked)).matmul(known.t());
            T_TensorTensor_T top = cosines.topk(Math.min(NEIGHBOURS, training.length), 1, true, false);
            Scope.share(top.get1());
            Tensor squares = Scope.share(top.get0()).mul(scalar(-2.0)).add(scalar(2.0));
            return doubles(squares.clamp_min(scalar(0.0)).sqrt().mean(1));
        }
    }

    /** Smallest Mahalanobis distance to the mean of a class, with one covariance inside all classes (Lee et al., 2018). */
    static double[] mahalanobis(float[][] training, int[] labels, float[][] asked) {
        try (Scope scope = Scope.open()) {
            Tensor rows = tensor(training);
            long classes = IntStream.of(labels).max().orElseThrow() + 1L;
            Tensor indicators = torch.one_hot(
                            torch.tensor(IntStream.of(labels).asLongStream().toArray()), classes)
                    .to(rows.scalar_type());
            Tensor sizes = indicators.sum(0).unsqueeze(1);
            Tensor means = indicators.t().matmul(rows).div(sizes);
            Tensor centred = rows.sub(indicators.matmul(means));
            Tensor covariance = centred.t().matmul(centred).div(scalar((double) labels.length));
            double level = SHRINKAGE * covariance.trace().item_double() / covariance.size(0);
            covariance.diagonal().add_(scalar(level));
            Tensor inverse = torch.linalg_inv(covariance);
            Tensor points = tensor(asked);
            Tensor own = points.matmul(inverse).mul(points).sum(1).unsqueeze(1);
            Tensor mixed = points.matmul(inverse).matmul(means.t());
            Tensor centres = means.matmul(inverse).mul(means).sum(1);
            return doubles(own.sub(mixed.mul(scalar(2.0))).add(centres).amin(new long[] {1}, false));
        }
    }

    private static Tensor unit(Tensor rows) {
        return rows.div(rows.square().sum(1).sqrt().clamp_min(scalar(1e-30)).unsqueeze(1));
    }

    private static Tensor tensor(float[][] rows) {
        float[] all = new float[rows.length * rows[0].length];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(rows[i], 0, all, i * rows[0].length, rows[0].length);
        }
        return DOUBLE.place(torch.tensor(all).reshape(rows.length, rows[0].length));
    }

    private static double[] doubles(Tensor values) {
        float[] found = HostCopy.floats(values);
        return IntStream.range(0, found.length).mapToDouble(i -> found[i]).toArray();
    }

    /** Area under the ROC curve: the probability that an unknown image has a larger score than a known one; of equal scores half. */
    static double auroc(double[] known, double[] unknown) {
        double sum = 0;
        for (double score : unknown) {
            for (double other : known) {
                sum += other < score ? 1 : other == score ? 0.5 : 0;
            }
        }
        return sum / ((double) known.length * unknown.length);
    }
}
