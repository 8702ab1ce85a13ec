package io.github.gramian.model.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/**
 * What every layer of a {@link Branch} makes of some feature maps, in inference and in order: for monitors and pictures.
 *
 * @param maps what the branch was given: [batch, inputChannels, N]
 * @param outputs of the layers, the first layer's first
 */
public record Trace(Tensor maps, List<Output> outputs) {

    /** The role of a layer in its branch. */
    public enum Part {
        /** The 1×1 convolution. */
        CONVOLUTION,
        /** The ReLU after it. */
        RECTIFICATION,
        /** K, the matrix that compares channels. */
        KERNEL,
        /** Y = WᵀKW. */
        TRANSFORM,
        /** The activation after a transformation. */
        ACTIVATION,
        /** Any other layer that turns feature maps or matrices into a descriptor. */
        AGGREGATION,
        /** A layer that changes a descriptor. */
        NORMALISATION
    }

    /**
     * The output of one layer.
     *
     * @param part what the layer does
     * @param name of the layer, for messages
     * @param value the first dimension counts images
     */
    public record Output(Part part, String name, Tensor value) {}

    /**
     * A transformation of SPD matrices.
     *
     * @param matrices Y: [batch, m, m]
     * @param activated what the activation makes of Y; empty if there is none
     */
    public record Transformed(Tensor matrices, Optional<Tensor> activated) {}

    public Trace {
        outputs = List.copyOf(outputs);
    }

    /** The feature maps whose channels are compared: after the convolution and its ReLU, [batch, channels, N]. */
    public Tensor compared() {
        return only(Part.RECTIFICATION).or(() -> only(Part.CONVOLUTION)).orElse(maps);
    }

    /** K: [batch, C, C], where the branch has a kernel. */
    public Optional<Tensor> kernel() {
        return only(Part.KERNEL);
    }

    /** The transformations of K, one after the other. */
    public List<Transformed> transforms() {
        List<Transformed> found = new ArrayList<>();
        for (Output output : outputs) {
            if (output.part() == Part.TRANSFORM) {
                found.add(new Transformed(output.value(), Optional.empty()));
            } else if (output.part() == Part.ACTIVATION) { // always right after its transformation
                Transformed last = found.remove(found.size() - 1);
                found.add(new Transformed(last.matrices(), Optional.of(output.value())));
            }
        }
        return found;
    }

    /** K, Y1, what the activation makes of Y1, Y2 and so on, by these names. */
    public Map<String, Tensor> matrices() {
        Map<String, Tensor> matrices = new LinkedHashMap<>();
        kernel().ifPresent(K -> matrices.put("K", K));
        List<Transformed> transforms = transforms();
        for (int i = 0; i < transforms.size(); i++) {
            String name = "Y" + (i + 1);
            matrices.put(name, transforms.get(i).matrices());
            transforms.get(i).activated().ifPresent(activated -> matrices.put(name + " activation", activated));
        }
        return matrices;
    }

    private Optional<Tensor> only(Part part) {
        return outputs.stream()
                .filter(output -> output.part() == part)
                .map(Output::value)
                .findFirst();
    }
}
