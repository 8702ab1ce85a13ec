package io.github.gramian.bench.scale;

/**
 * y ≈ coefficient · x^exponent, by least squares of ln y over ln x.
 *
 * @param exponent the slope on logarithmic axes
 * @param standardError of the exponent; NaN from two points, which leave nothing to estimate it from
 * @param coefficient y at x = 1
 */
public record PowerLaw(double exponent, double standardError, double coefficient) {

    /** Fits positive values; needs two different x. */
    public static PowerLaw fit(double[] x, double[] y) {
        int n = x.length;
        if (n != y.length || n < 2) {
            throw new IllegalArgumentException("a fit needs at least 2 points but got " + n + " and " + y.length);
        }
        double meanX = 0;
        double meanY = 0;
        for (int i = 0; i < n; i++) {
            if (!(x[i] > 0) || !(y[i] > 0)) {
                throw new IllegalArgumentException(
                        "a power law fits positive values, not (" + x[i] + ", " + y[i] + ")");
            }
            meanX += Math.log(x[i]) / n;
            meanY += Math.log(y[i]) / n;
        }
        double xx = 0;
        double xy = 0;
        for (int i = 0; i < n; i++) {
            xx += Math.pow(Math.log(x[i]) - meanX, 2);
            xy += (Math.log(x[i]) - meanX) * (Math.log(y[i]) - meanY);
        }
        if (xx == 0) {
            throw new IllegalArgumentException("a fit needs two different x");
        }
        double slope = xy / xx;
        double residues = 0;
        for (int i = 0; i < n; i++) {
            residues += Math.pow(Math.log(y[i]) - meanY - slope * (Math.log(x[i]) - meanX), 2);
        }
        double error = n == 2 ? Double.NaN : Math.sqrt(residues / (n - 2) / xx);
        return new PowerLaw(slope, error, Math.exp(meanY - slope * meanX));
    }

    /** The fitted y. */
    public double at(double x) {
        return coefficient * Math.pow(x, exponent);
    }
}
