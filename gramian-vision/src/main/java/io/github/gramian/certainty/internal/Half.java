package io.github.gramian.certainty.internal;

/** IEEE 754 half precision as 16 bits, which Java has no type for before version 20. */
public final class Half {

    private static final int FLOAT_BIAS = 127;
    private static final int HALF_BIAS = 15;
    private static final int MANTISSA_SHIFT = 13;
    private static final int SMALLEST_NORMAL = -14;
    private static final float SUBNORMAL_STEP = 0x1p-24f;

    private Half() {}

    /** The value of these bits. */
    public static float value(short bits) {
        int sign = bits & 0x8000;
        int exponent = (bits >> 10) & 0x1f;
        int mantissa = bits & 0x3ff;
        if (exponent == 0) {
            float small = mantissa * SUBNORMAL_STEP;
            return sign == 0 ? small : -small;
        }
        int wide = exponent == 0x1f ? 0xff : exponent - HALF_BIAS + FLOAT_BIAS;
        return Float.intBitsToFloat(sign << 16 | wide << 23 | mantissa << MANTISSA_SHIFT);
    }

    /** The nearest half, ties to even; numbers that are too large become infinite. */
    public static short bits(float value) {
        int raw = Float.floatToIntBits(value);
        int sign = (raw >>> 16) & 0x8000;
        float size = Math.abs(value);
        if (Float.isNaN(value)) {
            return (short) (sign | 0x7e00);
        }
        if (size >= 65520f) {
            return (short) (sign | 0x7c00);
        }
        int exponent = Math.getExponent(size);
        if (exponent < SMALLEST_NORMAL) {
            return (short) (sign | (int) Math.rint(size / SUBNORMAL_STEP));
        }
        int bits = Float.floatToIntBits(size);
        int rounded = bits + 0xfff + ((bits >>> MANTISSA_SHIFT) & 1);
        return (short) (sign | ((rounded >>> MANTISSA_SHIFT) - ((FLOAT_BIAS - HALF_BIAS) << 10)));
    }

    /** The values of an array of bits. */
    public static float[] values(short[] bits) {
        float[] values = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            values[i] = value(bits[i]);
        }
        return values;
    }

    /** Each value as the nearest half. */
    public static short[] bits(float[] values) {
        short[] bits = new short[values.length];
        for (int i = 0; i < values.length; i++) {
            bits[i] = bits(values[i]);
        }
        return bits;
    }
}
