package io.github.gramian.eval.internal;

import java.util.Collection;

/**
 * A number measured several times.
 *
 * @param runs how often
 * @param mean of all
 * @param deviation standard deviation of the sample, √(Σ(x − mean)² / (n − 1)); NaN for a single run
 */
public record Spread(int runs, double mean, double deviation) {

    public static Spread of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("there are no runs to average; give at least one");
        }
        int n = values.size();
        double mean = values.stream().mapToDouble(Double::doubleValue).sum() / n;
        double squares = values.stream()
                .mapToDouble(value -> (value - mean) * (value - mean))
                .sum();
        return new Spread(n, mean, n == 1 ? Double.NaN : Math.sqrt(squares / (n - 1)));
    }
}
