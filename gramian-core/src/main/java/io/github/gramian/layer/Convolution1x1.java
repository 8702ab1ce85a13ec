package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Z = A X + b: the same linear map at every position. X: [batch, inChannels, N]; A: [channels, inChannels]; b:
 * [channels]; Z: [batch, channels, N].
 */
public final class Convolution1x1 implements Layer {

    private final Parameter weight;
    private final Parameter bias;

    /** With given weights [channels, inChannels] and bias [channels], which it takes over. */
    public Convolution1x1(String name, Tensor weight, Tensor bias) {
        this.weight = Parameter.of(name + ".weight", Parameter.Role.CONVOLUTION, weight);
        this.bias = Parameter.of(name + ".bias", Parameter.Role.CONVOLUTION, bias);
    }

    /** Random weights that keep the variance through a following {@link Relu} (He et al.), and no bias. */
    public static Convolution1x1 random(String name, long inChannels, long channels, Placement placement, Seed seed) {
        Tensor normal = seed.normal(placement, channels, inChannels);
        return new Convolution1x1(
                name,
                normal.mul_(scalar(Math.sqrt(2.0 / inChannels))),
                torch.zeros(new long[] {channels}, placement.options()));
    }

    @Override
    public Pass forward(Tensor X, Phase phase) {
        Tensor A = weight.value();
        Tensor Z = A.matmul(X).add_(bias.value().unsqueeze(-1));
        Tensor maps = Scope.share(X);
        return Pass.of(Z, dZ -> {
            weight.gradient().addmm_(rowsOfChannels(dZ), rowsOfChannels(maps).t());
            bias.accumulate(dZ.sum(0, 2));
            return A.t().matmul(dZ);
        });
    }

    /** [batch, channels, N] → [channels, batch·N], so that the sum over images is one product. */
    private static Tensor rowsOfChannels(Tensor maps) {
        return maps.transpose(0, 1).reshape(maps.size(1), -1);
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    /** A. */
    public Parameter weight() {
        return weight;
    }

    /** b. */
    public Parameter bias() {
        return bias;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weight, bias);
    }
}
