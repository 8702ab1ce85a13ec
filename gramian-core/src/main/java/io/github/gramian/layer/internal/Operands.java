package io.github.gramian.layer.internal;

import io.github.gramian.layer.ProductPrecision;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Rounds what goes into large matrix products and what comes out of them. */
public final class Operands {

    private Operands() {}

    /** A matrix as products take it; the caller's to close. */
    public static Tensor operand(ProductPrecision products, Tensor matrix) {
        return switch (products) {
            case EXACT -> new Tensor(matrix);
            case BFLOAT16 -> matrix.to(ScalarType.BFloat16);
        };
    }

    /** A product in the precision of another tensor; takes the product over. */
    public static Tensor result(ProductPrecision products, Tensor product, Tensor like) {
        if (products == ProductPrecision.EXACT) {
            return product;
        }
        try (Tensor rounded = product) {
            return rounded.to(like.scalar_type());
        }
    }
}
