package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.internal.ShardPhase;
import io.github.gramian.layer.internal.ShardPhase.BatchShard;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;

/**
 * z = v ∘ m/(1 − p), each entry of m being 0 with probability p and else 1: in training, entries are left out at random so
 * that what follows relies on none of them. In inference z = v, which is the mean over m. Any shape.
 *
 * <p>m follows from the seed of the step and the name, so a repeated step drops the same entries.
 *
 * @param name distinguishes several such layers of a network
 * @param probability p
 */
public record Dropout(String name, double probability) implements Layer {

    public Dropout {
        if (!(probability >= 0 && probability < 1)) {
            throw new IllegalArgumentException("dropout must lie in [0, 1) but is " + probability);
        }
    }

    @Override
    public Pass forward(Tensor v, Phase phase) {
        if (!phase.training() || probability == 0) {
            return Pass.of(v, dz -> dz);
        }
        Tensor mask;
        try (Tensor drawn = draw(v, phase);
                Tensor retained = drawn.ge(scalar(probability))) {
            mask = retained.to(v.scalar_type());
            mask.mul_(scalar(1 / (1 - probability)));
        }
        return Pass.of(v.mul(mask), dz -> dz.mul(mask));
    }

    /** For a shard of a batch, the rows of the mask of the whole batch. */
    private Tensor draw(Tensor v, Phase phase) {
        Seed own = phase.seed().child(name);
        long[] shape = v.sizes().vec().get();
        BatchShard part = ShardPhase.shardOf(phase);
        if (part == null) {
            return own.uniform(Placement.of(v), shape);
        }
        shape[0] = part.all();
        return own.uniform(Placement.of(v), shape).narrow(0, part.first(), part.rows());
    }
}
