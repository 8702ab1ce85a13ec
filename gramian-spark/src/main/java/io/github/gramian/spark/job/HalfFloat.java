package io.github.gramian.spark.job;

/** IEEE 754 values of 16 bits: 1 sign, 5 exponent, 10 fraction. (The JDK converts them from version 20 on.) */
final class HalfFloat {

    /** The largest number of 16 bits. */
    static final float MAX = 65_504;

    private HalfFloat() {}

    /** The nearest half, of two equally near ones the even; |x| ≤ 65,504. */
    static short of(float x) {
        int bits = Float.floatToRawIntBits(x);
        int sign = bits >>> 16 & 0x8000;
        int exponent = (bits >>> 23 & 0xFF) - 127 + 15;
        int fraction = bits & 0x7FFFFF;
        if (exponent >= 1) {
            return (short) (sign | rounded((long) exponent << 23 | fraction, 13));
        }
        if (exponent < -10) {
            return (short) sign; // nearer to zero than to the smallest half
        }
        return (short) (sign | rounded(fraction | 0x800000, 14 - exponent));
    }

    /** Exact. */
    static float toFloat(short half) {
        int exponent = half >> 10 & 0x1F;
        int fraction = half & 0x3FF;
        float magnitude;
        if (exponent == 0) {
            magnitude = fraction * 0x1p-24f;
        } else {
            magnitude = Float.intBitsToFloat((exponent - 15 + 127) << 23 | fraction << 13);
        }
        return half < 0 ? -magnitude : magnitude;
    }

    /** value / 2^shift, rounded to the nearest, ties to even. A carry runs into the exponent, which is correct. */
    private static int rounded(long value, int shift) {
        long half = 1L << (shift - 1);
        long retained = value >> shift;
        long rest = value & ((1L << shift) - 1);
        return (int) (rest > half || (rest == half && (retained & 1) == 1) ? retained + 1 : retained);
    }
}
