package io.github.gramian.recipe;

import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import java.nio.file.Path;

/**
 * The backbone, which makes feature maps of images: its weights, and where everything computes.
 *
 * @param weights a file made by {@code gramian weights import}, or a TorchScript file
 * @param precision precision of its activations. A file may contain {@code auto}: bfloat16 if the CPU has instructions
 *     for it, otherwise float. The run directory stores the precision that was used
 * @param device where everything is computed, such as {@code cpu} or {@code cuda}
 * @param trustCode whether code in a TorchScript file may run; it runs with the privileges of the process
 */
public record BackboneSettings(String weights, Precision precision, String device, boolean trustCode) {

    public BackboneSettings {
        new Placement(device, precision); // refuses an unknown device
    }

    /** The file of the weights. */
    public Path file() {
        return Path.of(weights);
    }

    /** The same with other weights. */
    BackboneSettings on(String others) {
        return new BackboneSettings(others, precision, device, trustCode);
    }

    /** Where the backbone computes. */
    public BackboneOptions frozen() {
        return new BackboneOptions(new Placement(device, precision), true, null);
    }

    /** Where everything after it computes. */
    public Placement head() {
        return new Placement(device, Precision.FLOAT);
    }
}
