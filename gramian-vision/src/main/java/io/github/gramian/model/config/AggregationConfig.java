package io.github.gramian.model.config;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.tensor.Placement;

/**
 * How feature maps become a matrix.
 *
 * @param kernel kernel that compares channels
 * @param mapCentring whether the mean over positions is subtracted from each channel before channels are compared
 * @param unitMaps whether channels are then divided by their length over positions, so that a kernel of distances
 *     compares angles, and of centred channels correlations
 * @param jitter ε added to the diagonal of K
 */
public record AggregationConfig(KernelConfig kernel, boolean mapCentring, boolean unitMaps, double jitter) {

    /** Channels of the length that they have. */
    public AggregationConfig(KernelConfig kernel, boolean mapCentring, double jitter) {
        this(kernel, mapCentring, false, jitter);
    }

    /** The kernel as it is. */
    public static AggregationConfig of(KernelConfig kernel) {
        return new AggregationConfig(kernel, false, 0);
    }

    /** RBF with σ for each image, differentiated with exact gradients, constant with the paper's. */
    public static AggregationConfig standard(Fidelity fidelity) {
        return of(new KernelConfig.Rbf(new Bandwidth.PerImage(
                fidelity == Fidelity.EXACT ? Bandwidth.Gradient.EXACT : Bandwidth.Gradient.CONSTANT)));
    }

    /** The layer; statistics that it keeps carry the name. */
    public KernelAggregation build(String name, ProductPrecision products, Placement placement) {
        return new KernelAggregation(kernel.build(name, products, placement), mapCentring, unitMaps, jitter);
    }
}
