package io.github.gramian.image.codec.vp8.internal;

/** The factors by which a segment's coefficients were divided: constant and other, of each kind of block. */
record Quantiser(int lumaDc, int lumaAc, int constantDc, int constantAc, int chromaDc, int chromaAc) {

    /** Differences of the header's index, in its order: luma dc, constants dc and ac, chroma dc and ac. */
    static Quantiser of(int index, int[] differences) {
        return new Quantiser(
                Tables.DC_STEPS[clamp(index + differences[0])],
                Tables.AC_STEPS[clamp(index)],
                2 * Tables.DC_STEPS[clamp(index + differences[1])],
                Math.max(8, Tables.AC_STEPS[clamp(index + differences[2])] * 155 / 100),
                Math.min(132, Tables.DC_STEPS[clamp(index + differences[3])]),
                Tables.AC_STEPS[clamp(index + differences[4])]);
    }

    private static int clamp(int index) {
        return Math.max(0, Math.min(127, index));
    }
}
