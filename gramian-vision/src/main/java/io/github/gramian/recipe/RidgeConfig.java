package io.github.gramian.recipe;

import java.util.List;

/**
 * How the classifier is fitted in closed form, by ridge regression on descriptors.
 *
 * @param lambdas penalties to choose from, in units of the mean squared distance of a descriptor from their mean. So one
 *     grid serves descriptors of any scale. A single value is used without a choice
 * @param blockRows rows that are read and multiplied at once
 * @param memoryBudget bytes of rows to cache; rows beyond are computed again or, for more than 12,000 images, stored on disk. At
 *     least one block is cached. For more than 12,000 images it also decides between the solvers
 */
public record RidgeConfig(List<Double> lambdas, int blockRows, long memoryBudget) {

    /** Whether the classifier is fitted again in closed form after gradient descent. */
    public enum Refit {
        /** Unless the trained one has a higher validation accuracy, by more than one standard error. */
        BEST,
        ALWAYS,
        NEVER
    }

    public RidgeConfig {
        lambdas = List.copyOf(lambdas);
        if (lambdas.isEmpty()) {
            throw new IllegalArgumentException("ridge.lambdas is empty; give at least one penalty, for instance 0.01");
        }
        for (double lambda : lambdas) {
            if (!(lambda >= 1e-10 && lambda <= 1e10)) {
                throw new IllegalArgumentException(
                        "ridge.lambdas must lie in 1e-10..1e10 but one is " + lambda + "; correct it in the recipe");
            }
        }
        if (blockRows < 1) {
            throw new IllegalArgumentException("ridge.blockRows must be at least 1 but is " + blockRows);
        }
        if (memoryBudget < 0) {
            throw new IllegalArgumentException("ridge.memoryBudget must not be negative but is " + memoryBudget);
        }
    }

    /** Those of {@link Recipe#standard}. */
    public static RidgeConfig defaults() {
        return Recipe.standard().ridge();
    }

    /** The same with other penalties. */
    public RidgeConfig withLambdas(List<Double> others) {
        return new RidgeConfig(others, blockRows, memoryBudget);
    }
}
