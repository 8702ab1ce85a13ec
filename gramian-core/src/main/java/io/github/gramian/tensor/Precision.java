package io.github.gramian.tensor;

/**
 * How many bits a number has. Training runs in {@link #FLOAT}; gradient tests run in {@link #DOUBLE}. Plain Java, so that a
 * model can be described where the engine is not installed.
 */
public enum Precision {
    DOUBLE(8, 0x1p-52),
    FLOAT(4, 0x1p-23),
    BFLOAT16(2, 0x1p-7),
    HALF(2, 0x1p-10);

    private final int bytes;
    private final double epsilon;

    Precision(int bytes, double epsilon) {
        this.bytes = bytes;
        this.epsilon = epsilon;
    }

    /** Bytes a number takes. */
    public int bytes() {
        return bytes;
    }

    /** The distance from 1 to the next larger number. */
    public double epsilon() {
        return epsilon;
    }
}
