package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.internal.RunningMean;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * z = g(v − m), with m the running mean of the descriptors seen in training and g a gain that is set once. v: [batch,
 * length].
 *
 * <p>Normalised descriptors share most of their length: without this step the classifier after them is badly conditioned
 * and trains slowly or not at all. A batch is centred with the mean of the batches before it (see {@link RunningMean}), so
 * the mean is a constant of the backward pass.
 *
 * <p>What is left has a length that differs twentyfold between aggregators. The gain g = 1/√max(0.05, E‖v − m‖²) gives them
 * the mean squared length 1, or less where the floor holds, so that one learning rate suits every classifier and branches
 * side by side have equal weight.
 */
public final class DescriptorCentring implements Layer {

    /**
     * Descriptors that vary less than this are not drawn out to full length: their running mean lags behind what the parts
     * before it learn by as much as they vary.
     */
    private static final double SMALLEST_VARIANCE = 0.05;

    private final RunningMean mean;
    private final Parameter gain;

    /** For descriptors of a length; momentum is the weight of a new batch in the mean. The gain is 1. */
    public DescriptorCentring(String name, long length, double momentum, Placement placement) {
        this.mean = new RunningMean(name, momentum, placement, length);
        this.gain = Parameter.statistic(name + ".gain", torch.ones(new long[] {1}, placement.options()));
    }

    /**
     * Starts from what is known of the descriptors.
     *
     * @param knownMean m: [length]
     * @param variance E‖v − m‖²; the gain makes it 1, or less if it is below the floor
     */
    public void start(Tensor knownMean, double variance) {
        mean.set(knownMean);
        gain.value().fill_(scalar(1 / Math.sqrt(Math.max(SMALLEST_VARIANCE, variance))));
    }

    @Override
    public Pass forward(Tensor v, Phase phase) {
        Tensor m = mean.observe(v.mean(0), phase);
        Tensor g = gain.value();
        return Pass.of(v.sub(m).mul_(g), dz -> dz.mul(g));
    }

    /** m. */
    public Parameter mean() {
        return mean.mean();
    }

    @Override
    public List<Parameter> parameters() {
        return Stream.concat(mean.parameters().stream(), Stream.of(gain)).toList();
    }
}
