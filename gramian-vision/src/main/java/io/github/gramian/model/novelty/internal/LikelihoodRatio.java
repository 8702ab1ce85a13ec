package io.github.gramian.model.novelty.internal;

/**
 * Twice the logarithm of the likelihood ratio of two explanations of an image: a class that was never seen, or the most likely
 * one of the known classes. With the sketch x of a descriptor,
 *
 * <pre>
 *  c = (x − mean)/scale;  p = components·c;  e = ‖c‖² − ‖p‖²;  y = whitening·p
 *  mean of class k in coordinate i:  aₖᵢ = means ₖᵢ·sᵢ/(sᵢ + 1/nₖ);   its variance:  vₖᵢ = 1 + sᵢ/(nₖsᵢ + 1)
 *  score = minₖ Σᵢ((yᵢ − aₖᵢ)²/vₖᵢ + ln vₖᵢ) − Σᵢ(yᵢ²/(1 + sᵢ) + ln(1 + sᵢ)) + e·s/(1 + s)
 * </pre>
 *
 * <p>s is the spread of {@link ClassDensities}, and n the number of images of a class: the mean of a class with few images is
 * uncertain, so it is closer to the mean of all, and the class is wider.
 */
public final class LikelihoodRatio implements NoveltyScore {

    private final ClassDensities densities;
    private final int rank;
    private final double[] centres;
    private final double[] precisions;
    private final double[] offsets;

    public LikelihoodRatio(ClassDensities densities) {
        this.densities = densities;
        this.rank = densities.spread().length - 1;
        int classes = densities.counts().length;
        this.centres = new double[classes * rank];
        this.precisions = new double[classes * rank];
        this.offsets = new double[classes];
        for (int k = 0; k < classes; k++) {
            double count = densities.counts()[k];
            for (int i = 0; i < rank; i++) {
                double spread = densities.spread()[i];
                double variance = 1 + spread / (count * spread + 1);
                int place = k * rank + i;
                centres[place] = densities.means()[place] * spread / (spread + 1 / count);
                precisions[place] = 1 / variance;
                offsets[k] += Math.log(variance);
            }
        }
    }

    /** The densities that it compares. */
    public ClassDensities densities() {
        return densities;
    }

    @Override
    public int size() {
        return densities.mean().length;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int images() {
        double sum = 0;
        for (float count : densities.counts()) {
            sum += count;
        }
        return (int) sum;
    }

    @Override
    public float score(float[] descriptor) {
        float[] sketch = Sketch.of(descriptor, size());
        double[] centred = new double[sketch.length];
        for (int i = 0; i < sketch.length; i++) {
            centred[i] = (sketch[i] - densities.mean()[i]) / densities.scale();
        }
        double[] projected = product(densities.components(), centred);
        double rest = Math.max(0, square(centred) - square(projected));
        double[] point = product(densities.whitening(), projected);
        double unknown = 0;
        for (int i = 0; i < rank; i++) {
            double wide = 1 + densities.spread()[i];
            unknown += point[i] * point[i] / wide + Math.log(wide);
        }
        double spread = densities.spread()[rank];
        return (float) (nearest(point) - unknown + rest * spread / (1 + spread));
    }

    /** Of the most likely class. */
    private double nearest(double[] point) {
        double smallest = Double.POSITIVE_INFINITY;
        for (int k = 0; k < offsets.length; k++) {
            double sum = offsets[k];
            for (int i = 0; i < rank; i++) {
                double difference = point[i] - centres[k * rank + i];
                sum += difference * difference * precisions[k * rank + i];
            }
            smallest = Math.min(smallest, sum);
        }
        return smallest;
    }

    private double[] product(float[] rows, double[] vector) {
        double[] product = new double[rank];
        for (int row = 0; row < rank; row++) {
            int start = row * vector.length;
            double sum = 0;
            for (int i = 0; i < vector.length; i++) {
                sum += rows[start + i] * vector[i];
            }
            product[row] = sum;
        }
        return product;
    }

    private static double square(double[] vector) {
        double sum = 0;
        for (double value : vector) {
            sum += value * value;
        }
        return sum;
    }
}
