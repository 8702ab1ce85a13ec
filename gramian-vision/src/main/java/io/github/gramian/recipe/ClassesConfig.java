package io.github.gramian.recipe;

import java.util.Arrays;

/**
 * How much each class counts when a classifier is trained.
 *
 * @param weights weights of the classes in the closed-form fit, in the loss of gradient descent and in the folds of a search
 */
public record ClassesConfig(Weights weights) {

    /** The weights of classes of unequal size. */
    public enum Weights {
        /** Every image counts the same. */
        NONE,
        /** Every class counts the same, so an image of a small class counts more. The mean weight of an image is 1 */
        BALANCED;

        /**
         * The weight of an image of each class, for training images with these labels. A class without images has the weight 1.
         *
         * @param labels from 0 to classes − 1
         */
        public double[] of(int[] labels, int classes) {
            double[] weights = new double[classes];
            Arrays.fill(weights, 1);
            if (this == BALANCED) {
                int[] counts = new int[classes];
                for (int label : labels) {
                    counts[label]++;
                }
                long present = Arrays.stream(counts).filter(count -> count > 0).count();
                for (int label = 0; label < classes; label++) {
                    weights[label] = counts[label] == 0 ? 1 : labels.length / ((double) present * counts[label]);
                }
            }
            return weights;
        }
    }
}
