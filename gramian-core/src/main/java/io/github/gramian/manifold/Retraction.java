package io.github.gramian.manifold;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Retractions: map W + ξ, which has left the Stiefel manifold, back onto it. W, ξ: [n, p]. */
public enum Retraction {

    /**
     * The Q of W + ξ = QR (eq. backwardmaniflodmappingwretracting), its columns signed so that R has a positive diagonal.
     * Without the signs, columns flip from step to step, and momentum points in a wrong direction.
     */
    QR {
        @Override
        Tensor apply(Tensor W, Tensor xi) {
            T_TensorTensor_T parts = torch.linalg_qr(W.add(xi));
            Tensor signs = parts.get1().diagonal().sign();
            Tensor positive = signs.add_(signs.eq(scalar(0.0))); // sign(0) counts as +1
            return parts.get0().mul(positive);
        }
    },

    /**
     * The nearest point with orthonormal columns: A(AᵀA)^−½ for A = W + ξ. Computed in double, because AᵀA squares the
     * condition of a long step.
     */
    POLAR {
        @Override
        Tensor apply(Tensor W, Tensor xi) {
            Tensor A = W.add(xi).to(ScalarType.Double);
            Symmetric.Eigen gram = Symmetric.eigen(A.t().matmul(A));
            Tensor inverseRoot = Symmetric.compose(gram.values().rsqrt(), gram.vectors());
            return Placement.of(W).place(A.matmul(inverseRoot));
        }
    },

    /**
     * (I − ½S)⁻¹(I + ½S)W with the skew matrix S = PξWᵀ − W(Pξ)ᵀ, P = I − ½WWᵀ: a rotation of W. Rotations carry an
     * error of W along instead of correcting it, so one Newton step towards WᵀW = I follows.
     */
    CAYLEY {
        @Override
        Tensor apply(Tensor W, Tensor xi) {
            Tensor Pxi = xi.sub(W.matmul(W.t().matmul(xi)).mul_(scalar(0.5)));
            Tensor rotated = 2 * W.size(1) < W.size(0) ? rotateInSmallSpace(W, Pxi) : rotateInFullSpace(W, Pxi);
            Tensor gram = rotated.t().matmul(rotated);
            return rotated.mul(scalar(1.5)).sub_(rotated.matmul(gram).mul_(scalar(0.5)));
        }

        /** S = UVᵀ with U = [Pξ, W], V = [W, −Pξ] has rank 2p: W + U(I − ½VᵀU)⁻¹VᵀW, a 2p×2p system. */
        private Tensor rotateInSmallSpace(Tensor W, Tensor Pxi) {
            Tensor U = torch.cat(new TensorVector(Pxi, W), 1);
            Tensor Vt = torch.cat(new TensorVector(W, Pxi.neg()), 1).t();
            Tensor system = identityLike(W, U.size(1)).sub_(Vt.matmul(U).mul_(scalar(0.5)));
            return W.add(U.matmul(torch.linalg_solve(system, Vt.matmul(W))));
        }

        private Tensor rotateInFullSpace(Tensor W, Tensor Pxi) {
            Tensor half = Pxi.matmul(W.t()).mul_(scalar(0.5));
            Tensor skew = half.sub(half.t());
            Tensor system = identityLike(W, W.size(0)).sub_(skew);
            return torch.linalg_solve(system, W.add(skew.matmul(W)));
        }

        private Tensor identityLike(Tensor W, long size) {
            return torch.eye(size, Placement.of(W).options());
        }
    };

    abstract Tensor apply(Tensor W, Tensor xi);
}
