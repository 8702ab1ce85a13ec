package io.github.gramian.eval.internal;

import io.github.gramian.eval.Prediction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How often a model predicts each class on new images, compared with other images. Both are predictions, so mistakes of the
 * model that are equal on both sides do not look like a difference.
 *
 * @param shares one for each class, the largest difference first
 * @param pValue of the hypothesis that both come from the same source
 */
public record ClassMix(List<Share> shares, double pValue) {

    private static final int MAX_DRAWS = 9_999;
    private static final int MIN_DRAWS = 999;
    private static final long MAX_STEPS = 300_000_000;
    private static final double ROUNDING = 1e-9;

    /**
     * The share of one class.
     *
     * @param share of the new images
     * @param reference share of the other images
     */
    public record Share(String label, double share, double reference) {}

    public ClassMix {
        shares = List.copyOf(shares);
    }

    /**
     * Compares predictions of the same model. The p-value is that of a permutation test with Pearson's statistic, so it is
     * also valid for rare classes.
     *
     * @param images at least one that was not rejected
     * @param reference at least one
     * @param seed of the permutations
     */
    public static ClassMix of(List<Prediction> images, List<Prediction> reference, long seed) {
        List<String> classes = images.get(0).classes();
        int[] first = counts(images, classes.size());
        int[] second = counts(reference, classes.size());
        List<Share> shares = new ArrayList<>();
        for (int k = 0; k < classes.size(); k++) {
            shares.add(new Share(
                    classes.get(k), (double) first[k] / images.size(), (double) second[k] / reference.size()));
        }
        shares.sort(Comparator.comparingDouble(one -> -Math.abs(one.share() - one.reference())));
        return new ClassMix(shares, pValue(first, second, seed));
    }

    private static int[] counts(List<Prediction> predictions, int classes) {
        int[] counts = new int[classes];
        predictions.forEach(one -> counts[one.predicted()]++);
        return counts;
    }

    static double pValue(int[] first, int[] second, long seed) {
        int images = 0;
        int all = 0;
        for (int k = 0; k < first.length; k++) {
            images += first[k];
            all += first[k] + second[k];
        }
        int[] labels = new int[all];
        int next = 0;
        for (int k = 0; k < first.length; k++) {
            for (int i = 0; i < first[k] + second[k]; i++) {
                labels[next++] = k;
            }
        }
        double observed = statistic(first, first, second, images, all);
        SplittableRandom random = new SplittableRandom(seed);
        int draws = (int) Math.max(MIN_DRAWS, Math.min(MAX_DRAWS, MAX_STEPS / all));
        int atLeast = 0;
        for (int draw = 0; draw < draws; draw++) {
            double drawn = statistic(chosen(labels, images, first.length, random), first, second, images, all);
            atLeast += drawn >= observed - ROUNDING * observed ? 1 : 0;
        }
        return (1.0 + atLeast) / (1.0 + draws);
    }

    /** Counts of classes among images chosen at random. */
    private static int[] chosen(int[] labels, int images, int classes, SplittableRandom random) {
        int[] counts = new int[classes];
        for (int i = 0; i < images; i++) {
            int other = random.nextInt(i, labels.length);
            int label = labels[other];
            labels[other] = labels[i];
            labels[i] = label;
            counts[label]++;
        }
        return counts;
    }

    /** Σ (count − expected)² / expected over the classes, where the expected counts are those of one common mix. */
    private static double statistic(int[] counts, int[] first, int[] second, int images, int all) {
        double sum = 0;
        for (int k = 0; k < counts.length; k++) {
            double expected = (double) (first[k] + second[k]) * images / all;
            sum += expected > 0 ? (counts[k] - expected) * (counts[k] - expected) / expected : 0;
        }
        return sum;
    }
}
