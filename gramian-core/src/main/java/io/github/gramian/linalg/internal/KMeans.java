package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Centres c₁ … c_K that make Σᵢ minₖ ‖xᵢ − cₖ‖² small: a start that spreads the centres over the data (k-means++), then
 * Lloyd's alternation of assigning vectors and moving centres until the sum hardly falls. A centre that loses all its
 * vectors starts again at the vector that is farthest from its own. One sample and one seed give the same bits.
 *
 * @param centres K
 * @param iterations the most that are run
 */
public record KMeans(int centres, int iterations) {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** A fall of the sum by less than this fraction ends the iterations. */
    private static final double SMALLEST_GAIN = 1e-4;

    public KMeans {
        if (centres < 1 || iterations < 0) {
            throw new IllegalArgumentException("k-means needs at least one centre and no negative number of iterations,"
                    + " but got " + centres + " and " + iterations);
        }
    }

    /** With as many iterations as codebooks need. */
    public static KMeans of(int centres) {
        return new KMeans(centres, 30);
    }

    /**
     * Groups of vectors.
     *
     * @param centres [K, C]
     * @param shares fraction of the vectors that are nearest to each centre: [K]
     * @param variances of every dimension among these: [K, C]
     */
    public record Clusters(Tensor centres, Tensor shares, Tensor variances) {}

    /** Clusters of the rows of a sample [n, C] on the CPU, in the precision of the sample. */
    public Clusters fit(Tensor sample, Seed seed) {
        if (sample.size(0) < centres) {
            throw new IllegalArgumentException(centres + " centres need at least as many vectors, but there are only "
                    + sample.size(0) + "; use more images or a smaller codebook");
        }
        try (Scope scope = Scope.open()) {
            // Distances are differences of squares, which lose digits far from the origin.
            Tensor origin = sample.mean(0);
            Tensor vectors = sample.sub(origin);
            Tensor found = start(vectors, seed);
            double before = Double.POSITIVE_INFINITY;
            for (int i = 0; i < iterations; i++) {
                double sum = iterate(vectors, found);
                if (!(before - sum > SMALLEST_GAIN * sum)) {
                    break;
                }
                before = sum;
            }
            Moments groups = assign(vectors, found, torch.zeros(new long[] {vectors.size(0)}, DOUBLE.options()));
            Tensor shares = groups.mass().squeeze(1).div(scalar((double) sample.size(0)));
            Placement placement = Placement.of(sample);
            return new Clusters(
                    scope.promote(found.add(origin)),
                    scope.promote(placement.place(shares)),
                    scope.promote(placement.place(groups.variances())));
        }
    }

    /** ‖xᵢ − cₖ‖² for columns x: [..., C, n] and centres [K, C]: [..., K, n]. Rounding may leave it a little below zero. */
    public static Tensor squaredDistances(Tensor columns, Tensor centres) {
        Tensor lengths = columns.square().sum(new long[] {-2}, true, new ScalarTypeOptional());
        Tensor offsets = centres.square().sum(new long[] {1}, true, new ScalarTypeOptional());
        return centres.mul(scalar(-2.0)).matmul(columns).add_(offsets).add_(lengths);
    }

    /** One at the centre that is nearest to each column, zero elsewhere: [..., K, n] as the distances. */
    public static Tensor nearest(Tensor distances) {
        Tensor index = distances.argmin(new LongOptional(-2), true);
        return torch.zeros_like(distances).scatter_(-2, index, scalar(1.0));
    }

    /** k-means++: each further centre is a vector drawn in proportion to its squared distance from those before. */
    private Tensor start(Tensor vectors, Seed seed) {
        long count = vectors.size(0);
        Tensor draws = seed.uniform(DOUBLE, centres);
        Tensor found = vectors.new_empty(centres, vectors.size(1));
        Tensor lengths = vectors.square().sum(1);
        Tensor distances = torch.ones(new long[] {count}, DOUBLE.options());
        for (long k = 0; k < centres; k++) {
            try (Scope scope = Scope.open()) {
                Tensor cumulative = distances.cumsum(0);
                Tensor target = draws.narrow(0, k, 1).mul(cumulative.narrow(0, count - 1, 1));
                Tensor index = cumulative.le(target).sum().clamp_max(scalar(count - 1));
                Tensor chosen = vectors.index_select(0, index.reshape(1)).squeeze(0);
                found.select(0, k).copy_(chosen);
                Tensor toChosen = vectors.mv(chosen)
                        .mul(scalar(-2.0))
                        .add(lengths)
                        .add(chosen.square().sum())
                        .clamp_min(scalar(0.0));
                distances.copy_(k == 0 ? toChosen : torch.minimum(distances, DOUBLE.place(toChosen)));
            }
        }
        return found;
    }

    /** Moves every centre to the mean of its vectors; returns the sum of squared distances before. */
    private double iterate(Tensor vectors, Tensor found) {
        try (Scope scope = Scope.open()) {
            Tensor distances = torch.zeros(new long[] {vectors.size(0)}, DOUBLE.options());
            Moments groups = assign(vectors, found, distances);
            found.copy_(groups.means());
            Tensor empty = groups.mass().squeeze(1).eq(scalar(0.0)).nonzero().reshape(-1);
            if (empty.size(0) > 0) {
                T_TensorTensor_T farthest = distances.topk(empty.size(0));
                found.index_copy_(0, empty, vectors.index_select(0, farthest.get1()));
            }
            return distances.sum().item_double();
        }
    }

    /** Gives every vector to its nearest centre, and fills in the squared distances to these: [n]. */
    private Moments assign(Tensor vectors, Tensor found, Tensor smallest) {
        return Moments.of(vectors, centres, (portion, first) -> {
            Tensor distances = squaredDistances(portion.t(), found);
            smallest.narrow(0, first, portion.size(0))
                    .copy_(distances.amin(new long[] {0}, false).clamp_min(scalar(0.0)));
            return nearest(distances);
        });
    }
}
