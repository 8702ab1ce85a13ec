package io.github.gramian.eval.internal;

/** P(X = k) of a binomial variable X, for all k at once. */
public final class Binomial {

    private Binomial() {}

    /**
     * P(X = k) = C(n, k) pᵏ (1−p)ⁿ⁻ᵏ for k = 0..n. It starts at the most probable k with the value 1, goes outwards by
     * P(k+1) / P(k) = (n−k)/(k+1) · p/(1−p), and divides by the sum: only products and sums of positive values, so that
     * nothing cancels or overflows for any n; what is below 1e-300 becomes 0.
     */
    public static double[] probabilities(int n, double p) {
        double[] mass = new double[n + 1];
        int mode = (int) Math.min(n, Math.floor((n + 1.0) * p));
        mass[mode] = 1;
        double odds = p / (1 - p);
        double sum = 1;
        for (int k = mode; k < n; k++) {
            mass[k + 1] = mass[k] * (n - k) / (k + 1) * odds;
            sum += mass[k + 1];
        }
        for (int k = mode; k > 0; k--) {
            mass[k - 1] = mass[k] * k / (n - k + 1) / odds;
            sum += mass[k - 1];
        }
        for (int k = 0; k <= n; k++) {
            mass[k] /= sum;
        }
        return mass;
    }
}
