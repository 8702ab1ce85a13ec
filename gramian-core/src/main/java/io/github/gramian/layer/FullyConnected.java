package io.github.gramian.layer;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The classifier, z = B v + c for each row. v: [batch, inputs]; B: [outputs, inputs]; c: [outputs]; z: [batch, outputs]. */
public final class FullyConnected implements Layer {

    private final Parameter weight;
    private final Parameter bias;

    /** With given weights [outputs, inputs] and bias [outputs], which it takes over. */
    public FullyConnected(String name, Tensor weight, Tensor bias) {
        this.weight = Parameter.of(name + ".weight", Parameter.Role.CLASSIFIER, weight);
        this.bias = Parameter.of(name + ".bias", Parameter.Role.CLASSIFIER_BIAS, bias);
    }

    /** All zeros: a good start for the last layer before a softmax, whose loss is convex in it. */
    public static FullyConnected zeros(String name, long inputs, long outputs, Placement placement) {
        return new FullyConnected(
                name,
                torch.zeros(new long[] {outputs, inputs}, placement.options()),
                torch.zeros(new long[] {outputs}, placement.options()));
    }

    @Override
    public Pass forward(Tensor v, Phase phase) {
        Tensor B = weight.value();
        Tensor z = torch.addmm(bias.value(), v, B.t());
        Tensor rows = Scope.share(v);
        return Pass.of(z, dz -> {
            weight.gradient().addmm_(dz.t(), rows);
            bias.accumulate(dz.sum(0));
            return dz.mm(B);
        });
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    /** B. */
    public Parameter weight() {
        return weight;
    }

    /** c. */
    public Parameter bias() {
        return bias;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weight, bias);
    }
}
