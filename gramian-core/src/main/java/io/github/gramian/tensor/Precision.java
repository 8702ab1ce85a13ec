package io.github.gramian.tensor;

import org.bytedeco.pytorch.global.torch.ScalarType;

/** How many bits a number has. Training runs in {@link #FLOAT}; gradient tests run in {@link #DOUBLE}. */
public enum Precision {
    DOUBLE(ScalarType.Double, 8, 0x1p-52),
    FLOAT(ScalarType.Float, 4, 0x1p-23),
    BFLOAT16(ScalarType.BFloat16, 2, 0x1p-7),
    HALF(ScalarType.Half, 2, 0x1p-10);

    private final ScalarType scalarType;
    private final int bytes;
    private final double epsilon;

    Precision(ScalarType scalarType, int bytes, double epsilon) {
        this.scalarType = scalarType;
        this.bytes = bytes;
        this.epsilon = epsilon;
    }

    /** The precision of a tensor of this scalar type. */
    public static Precision of(ScalarType scalarType) {
        for (Precision precision : values()) {
            if (precision.scalarType.value == scalarType.value) {
                return precision;
            }
        }
        throw new IllegalArgumentException(
                "no floating-point precision: " + scalarType + "; convert the tensor to float or double first");
    }

    /** LibTorch's name for it. */
    public ScalarType scalarType() {
        return scalarType;
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
