package io.github.gramian.layer.kernel;

/** How the width σ of a kernel of distances, such as {@link RbfKernel}, is found. */
public sealed interface Bandwidth {

    /** Whether σ, which depends on the features, is differentiated or taken for a constant as in the paper. */
    enum Gradient {
        CONSTANT,
        EXACT
    }

    /**
     * σ = the mean distance between the channels of the image itself. The kernel matrix then does not change when all
     * features are multiplied by one number.
     *
     * @param gradient whether σ is differentiated as well, or taken for a constant as in the paper
     */
    record PerImage(Gradient gradient) implements Bandwidth {}

    /**
     * One σ for all images: the running mean of their mean distances, frozen in inference. A batch is computed with the
     * σ of the batches before it and therefore takes it for a constant; the first batch sets it.
     *
     * @param momentum the weight of a new batch in the running mean
     */
    record Global(double momentum) implements Bandwidth {
        public Global {
            if (!(momentum > 0 && momentum <= 1)) {
                throw new IllegalArgumentException("bandwidth momentum must lie in (0, 1] but is " + momentum);
            }
        }
    }

    /**
     * A given σ.
     *
     * @param sigma the width, in the units of the features
     */
    record Fixed(double sigma) implements Bandwidth {
        public Fixed {
            if (!(sigma > 0 && sigma < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("sigma must be positive and finite but is " + sigma);
            }
        }
    }
}
