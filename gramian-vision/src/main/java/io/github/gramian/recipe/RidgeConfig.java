package io.github.gramian.recipe;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How a {@code RidgeClassifier} is fitted.
 *
 * @param lambdas penalties to choose from, in units of the mean squared distance of a descriptor from their mean, so that
 *     one grid serves descriptors of any scale; one value is taken without a choice
 * @param blockRows rows that are read and multiplied at once
 * @param memoryBudget bytes of rows to cache; rows beyond are computed again. At least one block is cached
 */
public record RidgeConfig(List<Double> lambdas, int blockRows, long memoryBudget) {

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

    /** 17 penalties from 10⁻⁶ to 10², two a decade; blocks of 256 rows; 2 GiB. */
    public static RidgeConfig defaults() {
        List<Double> grid = IntStream.rangeClosed(-12, 4)
                .mapToObj(half -> Math.pow(10, half / 2.0))
                .toList();
        return new RidgeConfig(grid, 256, 2L << 30);
    }

    /** The same with other penalties. */
    public RidgeConfig withLambdas(List<Double> others) {
        return new RidgeConfig(others, blockRows, memoryBudget);
    }
}
