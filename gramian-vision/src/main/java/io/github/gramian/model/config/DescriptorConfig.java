package io.github.gramian.model.config;

import io.github.gramian.layer.Fidelity;

/**
 * How a matrix becomes a descriptor.
 *
 * @param logarithmFloor smallest eigenvalue for a matrix logarithm before the vectorisation; 0 for no logarithm
 * @param powerEpsilon ε of the power normalisation; negative for no power normalisation
 * @param centringMomentum weight of a new batch in the running mean that is subtracted from the descriptor; 0 for none
 * @param dropout fraction of the descriptor's entries that a training step drops; 0 for none
 * @param fidelity exact gradients or the paper's
 */
public record DescriptorConfig(
        double logarithmFloor, double powerEpsilon, double centringMomentum, double dropout, Fidelity fidelity) {

    public DescriptorConfig {
        if (!(logarithmFloor >= 0)) {
            throw new IllegalArgumentException("logarithmFloor must be at least 0 but is " + logarithmFloor);
        }
        if (!Double.isFinite(powerEpsilon)) {
            throw new IllegalArgumentException(
                    "powerEpsilon must be a number but is " + powerEpsilon + "; a negative one means none");
        }
        if (!(centringMomentum >= 0 && centringMomentum <= 1)) {
            throw new IllegalArgumentException("centringMomentum must lie in [0, 1] but is " + centringMomentum);
        }
        if (!(dropout >= 0 && dropout < 1)) {
            throw new IllegalArgumentException("dropout must lie in [0, 1) but is " + dropout);
        }
    }

    /** Without dropout. */
    public DescriptorConfig(double logarithmFloor, double powerEpsilon, double centringMomentum, Fidelity fidelity) {
        this(logarithmFloor, powerEpsilon, centringMomentum, 0, fidelity);
    }

    /**
     * The smallest ε for which float gradients of a head of size 512 agree with double to 1e−4: a smaller one lets the
     * slope at entries near zero, where rounding decides, dominate the gradient (docs/numerics.md).
     */
    private static final double SAFE_POWER_EPSILON = 1e-3;

    /** Power and l2 normalisation; the paper's has an infinite slope at zero, which counts as zero there. */
    public static DescriptorConfig standard(Fidelity fidelity) {
        return new DescriptorConfig(0, fidelity == Fidelity.EXACT ? SAFE_POWER_EPSILON : 0, 0, fidelity);
    }
}
