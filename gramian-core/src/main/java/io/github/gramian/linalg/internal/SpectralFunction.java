package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import org.bytedeco.pytorch.Tensor;

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
