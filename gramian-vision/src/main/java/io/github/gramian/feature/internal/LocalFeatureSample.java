package io.github.gramian.feature.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * A random sample, without replacement, of the vectors at the positions of feature maps that arrive in batches. Every vector
 * draws a random number, and those with the smallest form the sample. Memory is bounded by twice the sample, however many vectors pass, and the
 * same batches and seed give the same sample. It owns what it holds until it is closed.
 */
public final class LocalFeatureSample implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final long MAX_VECTORS = 100_000;
    private static final long MAX_NUMBERS = 1L << 25;

    private final long maxVectors;
    private final long maxNumbers;
    private final Seed seed;
    private final List<Tensor> vectors = new ArrayList<>();
    private final List<Tensor> draws = new ArrayList<>();
    private long held;
    private long batches;

    /** Vectors that draw this or more cannot be among the chosen. */
    private double threshold = 1;

    LocalFeatureSample(long maxVectors, long maxNumbers, Seed seed) {
        this.maxVectors = maxVectors;
        this.maxNumbers = maxNumbers;
        this.seed = seed;
    }

    /** As many vectors as codebooks need, and fewer where they are so long that memory would suffer. */
    public static LocalFeatureSample bounded(Seed seed) {
        return new LocalFeatureSample(MAX_VECTORS, MAX_NUMBERS, seed);
    }

    /** Looks at feature maps [batch, C, N]. */
    public void add(Tensor maps) {
        long limit = limit(maps.size(1));
        try (Scope scope = Scope.open()) {
            Tensor rows = maps.detach().cpu().transpose(1, 2).reshape(-1, maps.size(1));
            Tensor drawn = seed.child(batches++).uniform(DOUBLE, rows.size(0));
            Tensor chosen = drawn.lt(scalar(threshold)).nonzero().reshape(-1);
            keep(rows.index_select(0, chosen), drawn.index_select(0, chosen));
        }
        if (held > 2 * limit) {
            shrink(limit);
        }
    }

    private long limit(long channels) {
        return Math.max(1, Math.min(maxVectors, maxNumbers / channels));
    }

    private void keep(Tensor rows, Tensor drawn) {
        vectors.add(Scope.own(rows));
        draws.add(Scope.own(drawn));
        held += rows.size(0);
    }

    private void shrink(long limit) {
        try (Scope scope = Scope.open()) {
            Tensor drawn = joined(draws);
            T_TensorTensor_T smallest = drawn.topk(limit, 0, false, true);
            Tensor index = new Tensor(smallest.get1());
            Tensor rows = joined(vectors).index_select(0, index);
            Tensor remaining = drawn.index_select(0, index);
            close();
            keep(rows, remaining);
            threshold = remaining.max().item_double();
        }
    }

    /** The sample so far: [n, C], in the caller's scope. */
    public Tensor vectors() {
        if (held == 0) {
            throw new FeatureException("there are no vectors to fit a codebook to; check the training images");
        }
        long limit = limit(vectors.get(0).size(1));
        if (held > limit) {
            shrink(limit);
        }
        return joined(vectors);
    }

    private static Tensor joined(List<Tensor> parts) {
        return torch.cat(new TensorVector(parts.toArray(Tensor[]::new)), 0);
    }

    @Override
    public void close() {
        vectors.forEach(Scope::disown);
        draws.forEach(Scope::disown);
        vectors.clear();
        draws.clear();
        held = 0;
    }
}
