package io.github.gramian.eval;

import java.util.ArrayList;
import java.util.List;

/**
 * Calibration: of the images whose prediction has a probability of 80 %, 80 % should be correct.
 *
 * <pre>
 * expectedError         = Σ_b n_b/n · |accuracy_b − mean confidence_b|   over bins b of the largest probability
 * negativeLogLikelihood = −1/n Σ_i ln p_i(truth_i)
 * brier                 = 1/n Σ_i Σ_k (p_i(k) − [k = truth_i])²          between 0 and 2
 * </pre>
 *
 * A true class with the probability 0 counts as the smallest positive float: a likelihood of 0 would make the mean
 * infinite, and only means that the softmax underflowed.
 *
 * @param expectedError the expected calibration error (ECE)
 * @param negativeLogLikelihood in nats
 * @param brier the score of Brier over all classes
 * @param bins of equal width, for a reliability diagram
 */
public record Calibration(double expectedError, double negativeLogLikelihood, double brier, List<Bin> bins) {

    /** The number of bins that most publications take. */
    public static final int DEFAULT_BINS = 15;

    /**
     * The images whose largest probability lies in [lower, upper), the last bin with 1.
     *
     * @param count number of images; where it is 0, the two means are 0 and mean nothing
     */
    public record Bin(double lower, double upper, int count, double meanConfidence, double accuracy) {}

    public Calibration {
        bins = List.copyOf(bins);
    }

    /** With {@value #DEFAULT_BINS} bins. */
    public static Calibration of(List<Prediction> predictions) {
        return of(predictions, DEFAULT_BINS);
    }

    /** With another number of bins, on which the expected error depends. */
    public static Calibration of(List<Prediction> predictions, int binCount) {
        if (predictions.isEmpty()) {
            throw new IllegalArgumentException("there are no predictions to calibrate; give at least one image");
        }
        if (binCount < 1) {
            throw new IllegalArgumentException("the number of bins must be at least 1 but is " + binCount);
        }
        List<Bin> bins = bins(predictions, binCount);
        int n = predictions.size();
        double error = 0;
        for (Bin bin : bins) {
            error += (double) bin.count / n * Math.abs(bin.accuracy - bin.meanConfidence);
        }
        double surprise = 0;
        double brier = 0;
        for (Prediction prediction : predictions) {
            surprise -= Math.log(Math.max(prediction.probability(prediction.truth()), Float.MIN_VALUE));
            brier += squaredDistance(prediction);
        }
        return new Calibration(error, surprise / n, brier / n, bins);
    }

    private static double squaredDistance(Prediction prediction) {
        double sum = 0;
        for (int k = 0; k < prediction.classes().size(); k++) {
            double difference = prediction.probability(k) - (k == prediction.truth() ? 1.0 : 0.0);
            sum += difference * difference;
        }
        return sum;
    }

    private static List<Bin> bins(List<Prediction> predictions, int binCount) {
        int[] counts = new int[binCount];
        int[] correct = new int[binCount];
        double[] confidence = new double[binCount];
        for (Prediction prediction : predictions) {
            int b = Math.min(binCount - 1, (int) (prediction.confidence() * binCount));
            counts[b]++;
            correct[b] += prediction.correct() ? 1 : 0;
            confidence[b] += prediction.confidence();
        }
        List<Bin> bins = new ArrayList<>();
        for (int b = 0; b < binCount; b++) {
            int atLeastOne = Math.max(1, counts[b]);
            bins.add(new Bin(
                    (double) b / binCount,
                    (b + 1.0) / binCount,
                    counts[b],
                    confidence[b] / atLeastOne,
                    (double) correct[b] / atLeastOne));
        }
        return bins;
    }
}
