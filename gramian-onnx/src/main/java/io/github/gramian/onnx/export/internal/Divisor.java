package io.github.gramian.onnx.export.internal;

/** Divides a length into equal parts. */
final class Divisor {

    private Divisor() {}

    /** The largest divisor of n that is not above √n. */
    static long nearRoot(long n) {
        long divisor = (long) Math.sqrt((double) n);
        while (n % divisor != 0) {
            divisor--;
        }
        return divisor;
    }
}
