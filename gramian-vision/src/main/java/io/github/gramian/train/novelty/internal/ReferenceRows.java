package io.github.gramian.train.novelty.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Sketches of training images, of which projections are fitted to all, or to all but a fold. Fold f of F holds the rows f,
 * f + F, f + 2F, …: rows are sorted by class, so each fold has images of all classes. Tensors belong to the scope in which
 * it was made.
 */
final class ReferenceRows {

    private static final int MAX_RANK = 128;

    /** Directions with a smaller share of the largest variance are rounding. */
    private static final double NEGLIGIBLE = 1e-7;

    /** Share of the mean variance inside classes that is added to the variance in each direction. */
    private static final double SHRINKAGE = 1.0;

    /** A row at the mean has no direction. */
    private static final double TINY = 1e-30;

    /** Products of one block of rows with all others are held at a time. */
    private static final int BLOCK = 512;

    private final @Nullable Tensor basis;
    private final Tensor rows;
    private final int[] labels;

    private ReferenceRows(@Nullable Tensor basis, Tensor rows, int[] labels) {
        this.basis = basis;
        this.rows = rows;
        this.labels = labels;
    }

    /**
     * Rotates fewer rows than dimensions into the subspace that they span, which changes no distance and makes matrices small.
     *
     * @param sketches [images, size], in double
     */
    static ReferenceRows of(Tensor sketches, int[] labels) {
        if (sketches.size(0) >= sketches.size(1)) {
            return new ReferenceRows(null, sketches, labels);
        }
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(sketches.matmul(sketches.t())));
        int rank = rank(eigen.values(), sketches.size(0));
        if (rank == 0) {
            return new ReferenceRows(null, sketches, labels);
        }
        Tensor vectors = eigen.vectors().narrow(1, sketches.size(0) - rank, rank);
        Tensor lengths = eigen.values().narrow(0, sketches.size(0) - rank, rank).sqrt();
        Tensor basis = sketches.t().matmul(vectors).div(lengths);
        return new ReferenceRows(basis, sketches.matmul(basis), labels);
    }

    /** The number of eigenvalues, sorted from small to large, that are not negligible. */
    private static int rank(Tensor values, long size) {
        double largest = values.narrow(0, size - 1, 1).item_double();
        return largest > 0 ? (int) values.gt(scalar(NEGLIGIBLE * largest)).sum().item_long() : 0;
    }

    /**
     * Principal components, scaled so that the variance inside classes is equal in all directions, up to the shrinkage. A new
     * class differs from the others in directions in which the images of a class are alike.
     *
     * @param without fold that is left out; −1 for none
     * @return empty if all rows are equal
     */
    Optional<Projection> projection(int without, int folds) {
        int[] used = IntStream.range(0, labels.length)
                .filter(row -> without < 0 || row % folds != without)
                .toArray();
        Tensor some = without < 0
                ? rows
                : rows.index_select(
                        0, torch.tensor(IntStream.of(used).asLongStream().toArray()));
        Tensor mean = some.mean(0);
        Tensor centred = some.sub(mean);
        Tensor covariance = centred.t().matmul(centred).div(scalar((double) used.length));
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(covariance));
        long size = covariance.size(0);
        int rank = Math.min(MAX_RANK, rank(eigen.values(), size));
        if (rank == 0 || used.length < 2) {
            return Optional.empty();
        }
        Tensor components = eigen.vectors().narrow(1, size - rank, rank);
        int[] classes = IntStream.of(used).map(row -> labels[row]).toArray();
        Tensor within = within(centred.matmul(components), classes);
        double level = within.trace().item_double() / rank;
        if (!(level > 0)) {
            return Optional.of(new Projection(mean, components));
        }
        Symmetric.Eigen scatter = Symmetric.eigen(Symmetric.part(within));
        Tensor scales = scatter.values()
                .clamp_min(scalar(0.0))
                .add(scalar(SHRINKAGE * level))
                .rsqrt();
        Tensor whitening = Symmetric.compose(scales, scatter.vectors());
        return Optional.of(new Projection(mean, components.matmul(whitening)));
    }

    /** The covariance of rows around the means of their classes. */
    private static Tensor within(Tensor points, int[] classes) {
        long[] wide = IntStream.of(classes).asLongStream().toArray();
        long count = IntStream.of(classes).max().orElse(0) + 1L;
        Tensor indicators = torch.one_hot(torch.tensor(wide), count).to(points.scalar_type());
        Tensor sizes = indicators.sum(0).clamp_min(scalar(1.0)).unsqueeze(1);
        Tensor means = indicators.t().matmul(points).div(sizes);
        Tensor centred = points.sub(indicators.matmul(means));
        return centred.t().matmul(centred).div(scalar((double) classes.length));
    }

    /** The images as points of length 1: [images, rank]. */
    Tensor points(Projection projection) {
        Tensor projected = rows.sub(projection.mean()).matmul(projection.directions());
        Tensor lengths = projected.square().sum(1).sqrt().clamp_min(scalar(TINY));
        return projected.div(lengths.unsqueeze(1));
    }

    /** Mean distance of each row of a fold to the nearest other rows. */
    float[] scores(Projection projection, int fold, int folds) {
        Tensor points = points(projection);
        long[] own = IntStream.range(0, labels.length)
                .filter(row -> row % folds == fold)
                .asLongStream()
                .toArray();
        int neighbours = Math.min(NoveltyReference.NEIGHBOURS, labels.length - 1);
        float[] scores = new float[own.length];
        for (int from = 0; from < own.length; from += BLOCK) {
            try (Scope step = Scope.open()) {
                int count = Math.min(BLOCK, own.length - from);
                Tensor indices = torch.tensor(own).narrow(0, from, count);
                Tensor cosines = points.index_select(0, indices).matmul(points.t());
                // No image is its own neighbour.
                cosines.scatter_(1, indices.unsqueeze(1), scalar(Double.NEGATIVE_INFINITY));
                T_TensorTensor_T nearest = cosines.topk(neighbours, 1, true, false);
                Scope.share(nearest.get1());
                Tensor squares = Scope.share(nearest.get0()).mul(scalar(-2.0)).add(scalar(2.0));
                float[] means =
                        HostCopy.floats(squares.clamp_min(scalar(0.0)).sqrt().mean(1));
                System.arraycopy(means, 0, scores, from, count);
            }
        }
        return scores;
    }

    /** The mean of a projection, in dimensions of sketches. */
    Tensor mean(Projection projection) {
        return basis == null ? projection.mean() : basis.matmul(projection.mean());
    }

    /** The directions of a projection as rows in dimensions of sketches, scaled to values around 1: [rank, size]. */
    Tensor components(Projection projection) {
        Tensor directions = basis == null ? projection.directions() : basis.matmul(projection.directions());
        Tensor scale = directions.square().mean().sqrt();
        return directions.t().div(scale).contiguous();
    }
}
