package io.github.gramian.certainty.internal;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * One number that turns scores into probabilities: p = softmax(s · scores), with s minimising the mean negative
 * log-likelihood of the labels, a convex function of s. It is positive, so it never changes which class has the largest
 * score.
 *
 * <p>On data without a single mistake that function has no minimum. The labels are therefore softened as if one row more
 * had come with a label drawn blindly (weight 1/(n + 1), spread over all classes), as Platt did for two classes: s remains
 * finite, and on data with mistakes the change is far below the noise.
 */
public final class Temperature {

    /**
     * Fewer rows cannot decide: the factor that 30 rows choose lies within about a factor of two of the best one in 95 of 100
     * draws, that of 10 rows within a factor of eight, and 2 rows often choose the smallest factor there is.
     */
    public static final int MIN_ROWS = 30;

    /**
     * Scores that contradict their labels call for s = 0, which would make all classes equally probable. The floor leaves s ·
     * scores this spread (root of the mean variance within a row), so that probabilities in float rank the classes as the
     * scores do.
     */
    static final double MIN_SPREAD = 1e-2;

    /** Above this, probabilities are certain for scores that regress on indicators of 0 and 1. */
    static final double MAX = 1e6;

    private final double[] scores;
    private final int[] labels;
    private final int classes;
    private final double[] weights;
    private final double total;
    private final double softening;

    /**
     * For rows that count the same.
     *
     * @param scores [n × classes], row after row, of rows that the classifier was not fitted to
     * @param labels index of the class of each row
     */
    public Temperature(double[] scores, int[] labels, int classes) {
        this(
                scores,
                labels,
                classes,
                DoubleStream.generate(() -> 1).limit(labels.length).toArray());
    }

    /** The same for rows that count differently. */
    public Temperature(double[] scores, int[] labels, int classes, double[] weights) {
        this.scores = scores;
        this.labels = labels;
        this.classes = classes;
        this.weights = weights;
        this.total = Arrays.stream(weights).sum();
        this.softening = 1.0 / (labels.length + 1.0);
    }

    /** The best s in {@link #min}..{@link #MAX}: Newton's method inside a bracket that every step shrinks. */
    public double best() {
        double low = min();
        double high = MAX;
        if (slopeAndCurvature(low)[0] >= 0) {
            return low;
        }
        if (slopeAndCurvature(high)[0] <= 0) {
            return high;
        }
        double s = 1;
        for (int step = 0; step < 100 && high - low > 1e-10 * high; step++) {
            double[] at = slopeAndCurvature(s);
            if (at[0] > 0) {
                high = s;
            } else {
                low = s;
            }
            double next = s - at[0] / at[1];
            boolean trusted = next > low && next < high;
            double before = s;
            s = trusted ? next : Math.sqrt(low * high);
            if (trusted && Math.abs(s - before) <= 1e-12 * s) {
                break;
            }
        }
        return s;
    }

    /** The smallest s; 1 for scores that are equal within every row, whose probabilities do not depend on s. */
    double min() {
        double variance = 0;
        for (int row = 0; row < labels.length; row++) {
            double mean = mean(row);
            for (int c = 0; c < classes; c++) {
                variance += (score(row, c) - mean) * (score(row, c) - mean) / scores.length;
            }
        }
        return variance > 0 ? Math.min(MAX, MIN_SPREAD / Math.sqrt(variance)) : 1;
    }

    /** Mean negative log-likelihood of the labels as they are. */
    public double logLoss(double s) {
        double sum = 0;
        for (int row = 0; row < labels.length; row++) {
            double max = largest(row);
            double exponentials = 0;
            for (int c = 0; c < classes; c++) {
                exponentials += Math.exp(s * (score(row, c) - max));
            }
            sum += weights[row] * (Math.log(exponentials) + s * (max - score(row, labels[row])));
        }
        return sum / total;
    }

    /** Slope: expected score − score of the label; curvature: variance of the score; both under softmax(s · scores). */
    private double[] slopeAndCurvature(double s) {
        double slope = 0;
        double curvature = 0;
        for (int row = 0; row < labels.length; row++) {
            double max = largest(row);
            double exponentials = 0;
            double first = 0;
            double second = 0;
            for (int c = 0; c < classes; c++) {
                double distance = score(row, c) - max;
                double weight = Math.exp(s * distance);
                exponentials += weight;
                first += weight * distance;
                second += weight * distance * distance;
            }
            double mean = first / exponentials;
            slope += weights[row] * (mean + max - softenedScore(row));
            curvature += weights[row] * (second / exponentials - mean * mean);
        }
        return new double[] {slope, curvature};
    }

    /** The score of the softened label. */
    private double softenedScore(int row) {
        return (1 - softening) * score(row, labels[row]) + softening * mean(row);
    }

    private double mean(int row) {
        double sum = 0;
        for (int c = 0; c < classes; c++) {
            sum += score(row, c);
        }
        return sum / classes;
    }

    private double largest(int row) {
        double max = score(row, 0);
        for (int c = 1; c < classes; c++) {
            max = Math.max(max, score(row, c));
        }
        return max;
    }

    /** The fraction of rows whose label has the largest score, by their weights; the first of equal ones counts. */
    public double accuracy() {
        double right = 0;
        for (int row = 0; row < labels.length; row++) {
            int best = 0;
            for (int c = 1; c < classes; c++) {
                best = score(row, c) > score(row, best) ? c : best;
            }
            right += best == labels[row] ? weights[row] : 0;
        }
        return right / total;
    }

    private double score(int row, int c) {
        return scores[row * classes + c];
    }

    /** softmax(temperature · scores) of one row. */
    public static double[] probabilities(double[] scores, double temperature) {
        double most = Arrays.stream(scores).max().orElseThrow();
        double[] p = new double[scores.length];
        double sum = 0;
        for (int c = 0; c < p.length; c++) {
            p[c] = Math.exp(temperature * (scores[c] - most));
            sum += p[c];
        }
        for (int c = 0; c < p.length; c++) {
            p[c] /= sum;
        }
        return p;
    }
}
