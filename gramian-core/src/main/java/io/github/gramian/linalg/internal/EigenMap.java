package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.internal.ScalarTypes;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * F(A) = U diag(g(λ)) Uᵀ for A = U diag(λ) Uᵀ, with g(λ) = f(max(λ, floor)). A, F(A): [..., n, n], symmetric.
 *
 * <p>The backward pass is the formula of Daleckii and Krein, ∂L/∂A = U (Γ ∘ (Uᵀ ∂L/∂F U)) Uᵀ with the divided differences
 * Γᵢⱼ = (g(λᵢ) − g(λⱼ)) / (λᵢ − λⱼ). Where two eigenvalues (nearly) agree the quotient loses its digits, and Γᵢⱼ is
 * g′ at their mean instead. Unlike the gradient of an eigen-decomposition, which divides by eigenvalue gaps, this one is
 * finite at repeated eigenvalues.
 */
public record EigenMap(SpectralFunction function, double floor) {

    public EigenMap {
        if (floor < 0 || (floor == 0 && !function.acceptsZero())) {
            throw new IllegalArgumentException("the eigenvalue floor of " + function + " must be "
                    + (function.acceptsZero() ? "at least" : "above") + " 0 but is " + floor);
        }
    }

    /** ln A, eigenvalues below the floor raised to it. */
    public static EigenMap logarithm(double floor) {
        return new EigenMap(new SpectralFunction.Logarithm(), floor);
    }

    /** Aᵖ, such as A^½, eigenvalues below the floor raised to it. */
    public static EigenMap power(double exponent, double floor) {
        return new EigenMap(new SpectralFunction.Power(exponent), floor);
    }

    /** A with eigenvalues below the floor raised to it: the projection onto matrices at least floor·I (ReEig). */
    public static EigenMap rectifier(double floor) {
        return new EigenMap(new SpectralFunction.Identity(), floor);
    }

    /** F(A) and its backward pass. */
    public Pass apply(Tensor A) {
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(A));
        Tensor U = eigen.vectors();
        Tensor lambda = eigen.values();
        Tensor F = Symmetric.compose(value(lambda), U);
        Pass pass = Pass.of(F, dF -> {
            Tensor inner = U.mT().matmul(dF).matmul(U);
            Tensor weighted = inner.mul_(dividedDifferences(lambda));
            return U.matmul(weighted).matmul(U.mT());
        });
        return pass.wantingSymmetric().givingSymmetric();
    }

    /** Γ: [..., n, n] for eigenvalues λ: [..., n]. */
    Tensor dividedDifferences(Tensor lambda) {
        Tensor a = lambda.unsqueeze(-1);
        Tensor b = lambda.unsqueeze(-2);
        Tensor gap = a.sub(b);
        Tensor close = gap.abs().le(closeness(lambda, a, b));
        Tensor quotient = value(a).sub(value(b)).div_(gap.masked_fill(close, scalar(1.0)));
        Tensor slope = derivative(a.add(b).mul_(scalar(0.5)));
        return torch.where(close, slope, quotient);
    }

    /**
     * The gap below which g′ at the mean is the better value. A gap δ (relative to λ) costs the quotient a relative error
     * of ε/δ and the mean value one of δ²; both meet at δ = ∛ε.
     */
    private static Tensor closeness(Tensor lambda, Tensor a, Tensor b) {
        double epsilon = ScalarTypes.precision(lambda).epsilon();
        return torch.maximum(a.abs(), b.abs()).mul_(scalar(Math.cbrt(epsilon)));
    }

    private Tensor value(Tensor lambda) {
        return function.value(lambda.clamp_min(scalar(floor)));
    }

    private Tensor derivative(Tensor lambda) {
        return function.derivative(lambda.clamp_min(scalar(floor))).mul_(lambda.gt(scalar(floor)));
    }

    /** A real function that is applied to the eigenvalues of a symmetric matrix. */
    public sealed interface SpectralFunction {

        /** f(λ), element by element. */
        Tensor value(Tensor eigenvalues);

        /** f′(λ), element by element. */
        Tensor derivative(Tensor eigenvalues);

        /** Whether f and f′ exist for eigenvalues of zero, so that a floor of zero is allowed. */
        boolean acceptsZero();

        /** f(λ) = λ; with a floor it is the rectifier of eigenvalues (ReEig). */
        record Identity() implements SpectralFunction {
            @Override
            public Tensor value(Tensor eigenvalues) {
                return eigenvalues.clone();
            }

            @Override
            public Tensor derivative(Tensor eigenvalues) {
                return eigenvalues.new_ones(eigenvalues.sizes());
            }

            @Override
            public boolean acceptsZero() {
                return true;
            }
        }

        /** f(λ) = ln λ. */
        record Logarithm() implements SpectralFunction {
            @Override
            public Tensor value(Tensor eigenvalues) {
                return eigenvalues.log();
            }

            @Override
            public Tensor derivative(Tensor eigenvalues) {
                return eigenvalues.reciprocal();
            }

            @Override
            public boolean acceptsZero() {
                return false;
            }
        }

        /** f(λ) = λᵖ; p = ½ is the matrix square root. */
        record Power(double exponent) implements SpectralFunction {
            @Override
            public Tensor value(Tensor eigenvalues) {
                return eigenvalues.pow(scalar(exponent));
            }

            @Override
            public Tensor derivative(Tensor eigenvalues) {
                return eigenvalues.pow(scalar(exponent - 1)).mul_(scalar(exponent));
            }

            @Override
            public boolean acceptsZero() {
                return exponent >= 1;
            }
        }
    }
}
