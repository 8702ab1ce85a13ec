package io.github.gramian.tensor.internal;

import io.github.gramian.tensor.Precision;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** LibTorch's names of precisions. */
public final class ScalarTypes {

    private ScalarTypes() {}

    /** LibTorch's name of a precision. */
    public static ScalarType of(Precision precision) {
        return switch (precision) {
            case DOUBLE -> ScalarType.Double;
            case FLOAT -> ScalarType.Float;
            case BFLOAT16 -> ScalarType.BFloat16;
            case HALF -> ScalarType.Half;
        };
    }

    public static Precision precision(Tensor tensor) {
        return precision(tensor.scalar_type());
    }

    public static Precision precision(ScalarType type) {
        for (Precision precision : Precision.values()) {
            if (of(precision).value == type.value) {
                return precision;
            }
        }
        throw new IllegalArgumentException(
                "no floating-point precision: " + type + "; convert the tensor to float or double first");
    }
}
