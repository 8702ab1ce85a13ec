package io.github.gramian.backbone.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.ConvolutionalBackbone.WeightSource;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Weights drawn by He's rule, N(0, 2/fan-in), biases 0, scales 1 and norms that only normalise: for tests and trials, and for
 * training from scratch.
 */
public record RandomWeights(BackboneConfig config, Seed seed) implements WeightSource {

    @Override
    public Tensor weight(String name) {
        List<Long> shape = Plan.of(config).weights().getOrDefault(name, List.of());
        long[] sizes = shape.stream().mapToLong(Long::longValue).toArray();
        Placement placement = Placement.cpu(Precision.FLOAT);
        if (sizes.length > 1 && !name.endsWith(".layer_scale")) {
            double fanIn = 1;
            for (int dimension = 1; dimension < sizes.length; dimension++) {
                fanIn *= sizes[dimension];
            }
            return seed.child(name).normal(placement, sizes).mul_(scalar(Math.sqrt(2 / fanIn)));
        }
        boolean one = name.endsWith(".running_var")
                || name.endsWith(".weight")
                || name.endsWith(".layer_scale")
                || name.endsWith(".gamma");
        return one ? torch.ones(sizes, placement.options()) : torch.zeros(sizes, placement.options());
    }
}
