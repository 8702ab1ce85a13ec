package io.github.gramian.layer;

import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.function.BiFunction;
import org.bytedeco.pytorch.Tensor;

/**
 * A layer under test.
 *
 * @param name for the report
 * @param domain what inputs it takes
 * @param inputs makes an input
 * @param layers makes the layer
 * @param reference the same computation written for autograd: (input, values of the trainable parameters) → output
 * @param exact whether the backward computation is the derivative of the forward one, nothing held constant
 */
record LayerCase(
        String name,
        Domain domain,
        Inputs inputs,
        Layers layers,
        BiFunction<Tensor, List<Tensor>, Tensor> reference,
        boolean exact) {

    LayerCase(
            String name,
            Domain domain,
            Inputs inputs,
            Layers layers,
            BiFunction<Tensor, List<Tensor>, Tensor> reference) {
        this(name, domain, inputs, layers, reference, true);
    }

    /** The sizes that a case is tried at: channels, positions, images. */
    record Size(int channels, int positions, int batch) {}

    interface Inputs {
        Tensor make(Size size, Placement placement, Seed seed);
    }

    interface Layers {
        Layer make(Size size, Placement placement, Seed seed);
    }

    @Override
    public String toString() {
        return name;
    }
}
