package io.github.gramian.eval;

/** Refuses values that are not probabilities. */
final class ProbabilityCheck {

    /** How far the sum may lie from 1: rounding of float (or bf16) softmax over thousands of classes deviates less. */
    private static final double SUM_TOLERANCE = 1e-3;

    private ProbabilityCheck() {}

    /** They must be finite, not negative and sum to 1. */
    static void require(String image, float[] probabilities) {
        double sum = 0;
        for (int k = 0; k < probabilities.length; k++) {
            float p = probabilities[k];
            if (!Float.isFinite(p) || p < 0) {
                throw new IllegalArgumentException("probability " + k + " of " + image + " is " + p
                        + "; a probability is finite and not negative: check the model's output for NaN and give"
                        + " softmax values, not scores");
            }
            sum += p;
        }
        if (Math.abs(sum - 1) > SUM_TOLERANCE) {
            throw new IllegalArgumentException("the probabilities of " + image + " sum to " + sum
                    + " and not to 1; give softmax values, not scores");
        }
    }
}
