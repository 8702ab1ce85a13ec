package io.github.gramian.layer.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.internal.ShardPhase.BatchShard;
import io.github.gramian.manifold.Euclidean;
import io.github.gramian.tensor.Placement;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The running mean of a statistic over training batches, m ← m + μ(x − m); the first batch sets it.
 *
 * <p>A batch is computed with the mean of the batches before it. The mean is then a constant of the batch: gradients need
 * no term for it, and processes that compute shards of a batch and average their means afterwards compute what one process
 * would. Such a process accumulates its shard's mean as the gradient of the running mean; {@link MeanParameter#foldIn} folds it in when the
 * shards' means have been summed. Before the first batch only a process that sees whole batches can use the batch's own
 * mean.
 */
public final class RunningMean {

    private final double momentum;
    private final Parameter mean;
    private final Parameter weight;

    public RunningMean(String name, double momentum, Placement placement, long... shape) {
        if (!(momentum > 0 && momentum <= 1)) {
            throw new IllegalArgumentException(name + ": momentum must lie in (0, 1] but is " + momentum);
        }
        this.momentum = momentum;
        this.mean = new MeanParameter(name + ".mean", torch.zeros(shape, placement.options()), momentum);
        this.weight = Parameter.statistic(name + ".seen", torch.zeros(new long[] {1}, placement.options()));
    }

    /** The mean to use for a batch whose own mean is given; in training the batch is folded in afterwards. */
    public Tensor observe(Tensor batchMean, Phase phase) {
        Tensor seen = weight.value();
        // Before the first batch the batch's own mean stands in; no branch on a number, which would stall a GPU.
        Tensor current = torch.lerp(batchMean, mean.value(), seen);
        BatchShard part = ShardPhase.shardOf(phase);
        if (phase.training() && part != null) {
            mean.accumulate(batchMean.mul(scalar(part.share())));
        } else if (phase.training()) {
            mean.assign(torch.lerp(current, batchMean, scalar(momentum)));
            weight.value().fill_(scalar(1.0));
        }
        return current;
    }

    /** Sets the mean of what was seen so far. */
    public void set(Tensor known) {
        mean.assign(known);
        weight.value().fill_(scalar(1.0));
    }

    /** m. */
    public Parameter mean() {
        return mean;
    }

    public List<Parameter> parameters() {
        return List.of(mean, weight);
    }

    /**
     * A statistic that follows the means of batches: m ← m + μ(x − m) with momentum μ. If several processes compute shards of a
     * batch, each accumulates its share of x as the gradient; the sum over all processes is x.
     */
    public static final class MeanParameter extends Parameter {

        private final double momentum;

        MeanParameter(String name, Tensor value, double momentum) {
            super(name, Role.STATISTIC, value.contiguous(), new Euclidean());
            this.momentum = momentum;
        }

        /** Folds the mean of a batch, which is the gradient by now, into the running mean. */
        public void foldIn() {
            value().lerp_(gradient(), scalar(momentum));
            clearGradient();
        }
    }
}
