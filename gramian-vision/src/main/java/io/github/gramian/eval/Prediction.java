package io.github.gramian.eval;

import java.util.Arrays;

/**
 * The predicted probabilities of one image, and its true class. The probabilities are copied in and out, so
 * that a prediction is a value. Where classes share the largest probability the one with the lowest index counts as
 * predicted, everywhere in this package.
 */
public final class Prediction {

    /** How far the sum may lie from 1: rounding of float (or bf16) softmax over thousands of classes stays below. */
    private static final double SUM_TOLERANCE = 1e-3;

    private final String id;
    private final int truth;
    private final float[] probabilities;
    private final int predicted;

    /**
     * @param id path of the image; two models are compared image by image through it
     * @param truth index of the true class
     * @param probabilities one a class, finite, not negative, with the sum 1
     */
    public Prediction(String id, int truth, float[] probabilities) {
        this.id = id;
        this.truth = truth;
        this.probabilities = probabilities.clone();
        check();
        this.predicted = largest(this.probabilities);
    }

    private void check() {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a prediction needs the path of its image as id");
        }
        if (truth < 0 || truth >= probabilities.length) {
            throw new IllegalArgumentException("the true class of " + id + " is " + truth + " but its "
                    + probabilities.length + " probabilities are those of classes 0.." + (probabilities.length - 1)
                    + "; evaluate with the class list of the model");
        }
        double sum = 0;
        for (int k = 0; k < probabilities.length; k++) {
            float p = probabilities[k];
            if (!Float.isFinite(p) || p < 0) {
                throw new IllegalArgumentException("probability " + k + " of " + id + " is " + p
                        + "; a probability is finite and not negative: check the model's output for NaN and give"
                        + " softmax values, not scores");
            }
            sum += p;
        }
        if (Math.abs(sum - 1) > SUM_TOLERANCE) {
            throw new IllegalArgumentException(
                    "the probabilities of " + id + " sum to " + sum + " and not to 1; give softmax values, not scores");
        }
    }

    private static int largest(float[] values) {
        int best = 0;
        for (int k = 1; k < values.length; k++) {
            if (values[k] > values[best]) {
                best = k;
            }
        }
        return best;
    }

    /** Path of the image. */
    public String id() {
        return id;
    }

    /** Index of the true class. */
    public int truth() {
        return truth;
    }

    /** A copy of all probabilities. */
    public float[] probabilities() {
        return probabilities.clone();
    }

    /** Probability of one class. */
    public float probability(int index) {
        return probabilities[index];
    }

    /** How many classes there are. */
    public int classes() {
        return probabilities.length;
    }

    /** argmax p: index of the most probable class. */
    public int predicted() {
        return predicted;
    }

    /** max p, at most 1. */
    public double confidence() {
        return Math.min(1.0, probabilities[predicted]);
    }

    /** Whether the most probable class is the true one. */
    public boolean correct() {
        return predicted == truth;
    }

    /**
     * Place of the true class among all, from 1 = predicted. Ties are broken by index, as for {@link #predicted}: a model
     * that gives all classes the same probability does not get a top-5 accuracy of 1.
     */
    public int rankOfTruth() {
        int rank = 1;
        float own = probabilities[truth];
        for (int k = 0; k < probabilities.length; k++) {
            if (probabilities[k] > own || (probabilities[k] == own && k < truth)) {
                rank++;
            }
        }
        return rank;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Prediction that
                && truth == that.truth
                && id.equals(that.id)
                && Arrays.equals(probabilities, that.probabilities);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * id.hashCode() + truth) + Arrays.hashCode(probabilities);
    }

    @Override
    public String toString() {
        return id + ": truth " + truth + ", predicted " + predicted + " with " + confidence();
    }
}
