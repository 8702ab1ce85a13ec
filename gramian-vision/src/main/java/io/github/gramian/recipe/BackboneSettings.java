package io.github.gramian.recipe;

import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import java.nio.file.Path;

/**
 * The network in front, and where everything computes.
 *
 * @param weights a file made by {@code gramian weights import}
 * @param precision of its activations
 * @param device such as {@code cpu} or {@code cuda}
 */
public record BackboneSettings(String weights, Precision precision, String device) {

    public BackboneSettings {
        new Placement(device, precision); // refuses an unknown device
    }

    /** The file of the weights. */
    public Path file() {
        return Path.of(weights);
    }

    /** Where the backbone computes. */
    public BackboneOptions frozen() {
        return new BackboneOptions(new Placement(device, precision), true, null);
    }

    /** Where everything behind it computes. */
    public Placement head() {
        return new Placement(device, Precision.FLOAT);
    }
}
