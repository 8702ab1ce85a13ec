package io.github.gramian.layer.internal;

/**
 * How precisely the large matrix products of the head are computed. Whatever it is, parameters, their gradients, distances
 * between channels, σ and normalisations keep the precision of the network. Plain Java, so that a network can be described
 * where the engine is not installed; {@link Operands} does the rounding.
 */
public enum Products {

    /** In the precision of the network. */
    EXACT,

    /**
     * Operands and results rounded to bfloat16 (8 bits of mantissa), sums in float: several times as fast where the hardware
     * has units for it (AMX, tensor cores).
     */
    BFLOAT16
}
