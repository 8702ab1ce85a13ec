package io.github.gramian.train.novelty.internal;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.model.novelty.internal.ClassDensities;
import io.github.gramian.model.novelty.internal.Half;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Fits {@link ClassDensities} to sketches. With the principal components p of the centred sketches and their covariance inside
 * classes C, W = C + {@value #SHRINKAGE}·(tr C/rank)·I is the variance of an image around the mean of its class. The coordinates
 * are those in which W = I and the covariance of the means of classes is diagonal.
 */
final class DensityFit {

    /** Share of the mean variance inside classes that is added in each direction; chosen without test images (docs/decisions/0023). */
    private static final double SHRINKAGE = 0.3;

    /** Variance of the means of unseen classes, relative to W, in directions in which the known classes do not differ. */
    private static final double UNSEEN_SPREAD = 0.2;

    private static final int MAX_RANK = 128;

    /** All means of classes together: 1.3 MB in half precision. */
    private static final int MAX_VALUES = 640_000;

    /** Directions with a smaller share of the largest variance are rounding. */
    private static final double NEGLIGIBLE = 1e-7;

    /** Of the square of a sketch's length, which is 1: a smaller variance is rounding. */
    private static final double TINY = 1e-12;

    /** Of a mean of a class, in standard deviations of an image. */
    private static final double MAX_MEAN = 1e4;

    private DensityFit() {}

    /** @param directions [size, rank], orthonormal */
    private record Components(Tensor mean, Tensor directions, Tensor points) {}

    /**
     * The densities of the classes of sketches.
     *
     * @param rows [images, size], in double
     * @param labels one for each row
     * @return empty if all rows are equal
     */
    static Optional<ClassDensities> of(Tensor rows, int[] labels) {
        Tensor indicators = indicators(labels).to(rows.scalar_type());
        Tensor counts = indicators.sum(0);
        int most = (int) Math.max(1, Math.min(MAX_RANK, MAX_VALUES / counts.size(0)));
        return components(rows, most).map(found -> of(found, indicators, counts));
    }

    /** One column per class that has images: [images, classes]. */
    private static Tensor indicators(int[] labels) {
        int[] present = IntStream.of(labels).distinct().sorted().toArray();
        long[] places = IntStream.of(labels)
                .mapToLong(label -> Arrays.binarySearch(present, label))
                .toArray();
        return torch.one_hot(torch.tensor(places), present.length);
    }

    private static Optional<Components> components(Tensor rows, int most) {
        Tensor mean = rows.mean(0);
        Tensor centred = rows.sub(mean);
        boolean few = rows.size(0) < rows.size(1);
        Tensor products = few ? centred.matmul(centred.t()) : centred.t().matmul(centred);
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(products));
        long size = products.size(0);
        double largest = eigen.values().narrow(0, size - 1, 1).item_double();
        if (!(largest > TINY * rows.size(0))) {
            return Optional.empty();
        }
        long found = eigen.values().gt(scalar(NEGLIGIBLE * largest)).sum().item_long();
        long rank = Math.min(most, found);
        Tensor vectors = eigen.vectors().narrow(1, size - rank, rank);
        Tensor lengths = eigen.values().narrow(0, size - rank, rank).sqrt();
        Tensor directions = few ? centred.t().matmul(vectors).div(lengths) : vectors;
        return Optional.of(new Components(mean, directions, centred.matmul(directions)));
    }

    private static ClassDensities of(Components found, Tensor indicators, Tensor counts) {
        long rank = found.points().size(1);
        Tensor sizes = counts.unsqueeze(1);
        Tensor means = indicators.t().matmul(found.points()).div(sizes);
        Tensor around = found.points().sub(indicators.matmul(means));
        double images = (double) indicators.size(0);
        Tensor inside = around.t().matmul(around).div(scalar(images));
        double level = inside.trace().item_double() / rank;
        // Classes of equal images have no variance, except for rounding, in units of which means would not fit a half.
        double longest = means.norm(optional(2.0), new long[] {1}).max().item_double();
        if (level < Math.pow(longest / MAX_MEAN, 2)) {
            level = found.points().square().mean().item_double();
        }
        double variance = SHRINKAGE * level;
        Symmetric.Eigen scatter = Symmetric.eigen(Symmetric.part(inside));
        Tensor scales =
                scatter.values().clamp_min(scalar(0.0)).div(scalar(variance)).add(scalar(1.0));
        Tensor whitening = Symmetric.compose(scales.rsqrt(), scatter.vectors());
        Tensor white = means.div(scalar(Math.sqrt(variance))).matmul(whitening);
        Tensor weighted = white.mul(sizes.div(scalar(images)).sqrt());
        Symmetric.Eigen between = Symmetric.eigen(Symmetric.part(weighted.t().matmul(weighted)));
        // The mean of n images has itself a variance of 1/n, which is not a difference between classes.
        double noise = counts.reciprocal().mean().item_double();
        Tensor spread =
                between.values().sub(scalar(noise)).clamp_min(scalar(0.0)).add(scalar(UNSEEN_SPREAD));
        Tensor rotation = between.vectors();
        return new ClassDensities(
                HostCopy.floats(found.mean()),
                (float) Math.sqrt(variance),
                halves(found.directions().t()),
                halves(whitening.matmul(rotation).t()),
                halves(white.matmul(rotation)),
                HostCopy.floats(counts),
                spread(HostCopy.floats(spread)));
    }

    private static float[] spread(float[] coordinates) {
        float[] all = Arrays.copyOf(coordinates, coordinates.length + 1);
        all[coordinates.length] = (float) UNSEEN_SPREAD;
        return all;
    }

    /** As a file stores them. */
    private static float[] halves(Tensor matrix) {
        return Half.values(Half.bits(HostCopy.floats(matrix.contiguous())));
    }
}
