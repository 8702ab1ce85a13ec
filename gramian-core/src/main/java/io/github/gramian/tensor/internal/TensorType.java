package io.github.gramian.tensor.internal;

import java.util.Optional;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The element types of tensors in files; each constant is named as safetensors files name it. */
public enum TensorType {
    F64(ScalarType.Double, 8),
    F32(ScalarType.Float, 4),
    F16(ScalarType.Half, 2),
    BF16(ScalarType.BFloat16, 2),
    I64(ScalarType.Long, 8),
    I32(ScalarType.Int, 4),
    I16(ScalarType.Short, 2),
    I8(ScalarType.Char, 1),
    U8(ScalarType.Byte, 1),
    BOOL(ScalarType.Bool, 1);

    private final ScalarType scalarType;
    private final int bytes;

    TensorType(ScalarType scalarType, int bytes) {
        this.scalarType = scalarType;
        this.bytes = bytes;
    }

    /** The type with this safetensors name, if it is one of ours. */
    public static Optional<TensorType> named(String name) {
        for (TensorType type : values()) {
            if (type.name().equals(name)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    public static TensorType of(ScalarType scalarType) {
        for (TensorType type : values()) {
            if (type.scalarType.value == scalarType.value) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "tensors of type " + scalarType + " cannot be stored; convert the tensor to float first");
    }

    /** LibTorch's name for it. */
    public ScalarType scalarType() {
        return scalarType;
    }

    /** Bytes an element takes. */
    public int bytes() {
        return bytes;
    }

    public boolean isFloatingPoint() {
        return this == F64 || this == F32 || this == F16 || this == BF16;
    }

    /**
     * The bytes that a dense tensor of this type and shape takes.
     *
     * @throws ArithmeticException if a dimension is negative or the product does not fit into a long
     */
    public long bytesOf(long... shape) {
        long product = bytes;
        for (long dimension : shape) {
            if (dimension < 0) {
                throw new ArithmeticException("negative dimension " + dimension);
            }
            product = Math.multiplyExact(product, dimension);
        }
        return product;
    }
}
