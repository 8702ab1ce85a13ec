package io.github.gramian.eval.internal;

/** The standard normal distribution. */
public final class Normal {

    private Normal() {}

    /**
     * P(Z > z) for z ≥ 0. Below 3 from the series Φ(z) − ½ = φ(z)·(z + z³/3 + z⁵/(3·5) + …), above from the continued
     * fraction φ(z)/(z + 1/(z + 2/(z + 3/(z + …)))): about twelve digits everywhere.
     */
    public static double upperTail(double z) {
        double density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
        if (z < 3) {
            double term = z;
            double sum = z;
            for (int k = 3; term > 1e-17 * sum; k += 2) {
                term *= z * z / k;
                sum += term;
            }
            return 0.5 - density * sum;
        }
        double fraction = z;
        for (int k = 200; k >= 1; k--) {
            fraction = z + k / fraction;
        }
        return density / fraction;
    }
}
