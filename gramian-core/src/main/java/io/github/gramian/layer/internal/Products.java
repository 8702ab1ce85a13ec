package io.github.gramian.layer.internal;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * How precisely the large matrix products of the head are computed. Whatever it is, parameters, their gradients, distances
 * between channels, σ and normalisations keep the precision of the network.
 */
public enum Products {

    /** In the precision of the network. */
    EXACT {
        @Override
        public Tensor operand(Tensor matrix) {
            return new Tensor(matrix);
        }

        @Override
        public Tensor result(Tensor product, Tensor like) {
            return product;
        }
    },

    /**
     * Operands and results rounded to bfloat16 (8 bits of mantissa), sums in float: several times as fast where the hardware
     * has units for it (AMX, tensor cores).
     */
    BFLOAT16 {
        @Override
        public Tensor operand(Tensor matrix) {
            return matrix.to(ScalarType.BFloat16);
        }

        @Override
        public Tensor result(Tensor product, Tensor like) {
            try (Tensor rounded = product) {
                return rounded.to(like.scalar_type());
            }
        }
    };

    /** A matrix as products take it; the caller's to close. */
    public abstract Tensor operand(Tensor matrix);

    /** A product in the precision of another tensor; takes the product over. */
    public abstract Tensor result(Tensor product, Tensor like);
}
