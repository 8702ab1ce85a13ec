package io.github.gramian.layer;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * z = v − m, with m the running mean of the descriptors seen in training. v: [batch, length].
 *
 * <p>Normalised descriptors share most of their length: without this step the classifier after them is badly conditioned
 * and trains slowly or not at all. A batch is centred with the mean of the batches before it (see {@link RunningMean}), so
 * the mean is a constant and the way back is the identity.
 */
public final class DescriptorCentring implements Layer {

    private final RunningMean mean;

    /** For descriptors of a length; momentum is the weight of a new batch in the mean. */
    public DescriptorCentring(String name, long length, double momentum, Placement placement) {
        this.mean = new RunningMean(name, momentum, placement, length);
    }

    /** Starts from a known mean of the descriptors: [length]. */
    public void start(Tensor knownMean) {
        mean.set(knownMean);
    }

    @Override
    public Pass forward(Tensor v, Phase phase) {
        Tensor m = mean.observe(v.mean(0), phase);
        return Pass.of(v.sub(m), dz -> dz);
    }

    @Override
    public List<Parameter> parameters() {
        return mean.parameters();
    }
}
