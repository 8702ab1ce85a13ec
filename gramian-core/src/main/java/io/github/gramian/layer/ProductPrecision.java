package io.github.gramian.layer;

/**
 * Precision of the large matrix products of the head. Parameters, their gradients, distances between channels, σ and
 * normalisations always have the precision of the network. The enum is plain Java, so that a network can be described where
 * the engine is not installed.
 */
public enum ProductPrecision {

    /** In the precision of the network. */
    EXACT,

    /**
     * Operands and results rounded to bfloat16 (8 bits of mantissa), sums in float. Several times as fast if the hardware
     * has units for it (AMX, tensor cores).
     */
    BFLOAT16
}
