package io.github.gramian.certainty;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Sets of classes with a chosen coverage. The score of a class is 1 − p, with p its probability. The set at a level holds
 * every class whose score is at most q, the ⌈(n + 1)·level⌉-th smallest of the n calibration scores, which are the scores of
 * true classes. No rule with the same coverage gives smaller sets on average if the probabilities are correct (Sadinle, Lei
 * and Wasserman, 2019).
 *
 * <p>If the calibration images were not used to fit the classifier and come from the same source as new images, the set
 * holds the true class with a probability of at least {@code level}. Scores that leave out one training image at a time, each
 * with its own classifier, are almost as good in practice. What can be proved for them is weaker: 1 − 2·(1 − level) for the
 * closely related jackknife+ (Barber, Candès, Ramdas and Tibshirani, 2021). {@code docs/robustness.md} has the coverage that
 * we observe.
 *
 * @param source where the calibration scores come from
 * @param scores 1 − p of the true class of each calibration image, with p its probability; sorted from small to large
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not changed
public record PredictionSets(Source source, float[] scores) {

    /** More would only enlarge the model: their ranks are a hundredth of a percent apart. */
    static final int MAX_SCORES = 10_000;

    /** Products such as 100 · 0.95 must not be rounded up to the next rank. */
    private static final double ROUNDING = 1e-9;

    /** The images that calibrate, and how they were scored. */
    public enum Source {
        /** Training images, each scored by the classifier that was fitted without it. */
        LEAVE_ONE_OUT("leave-one-out"),
        /** Validation images, which training has not used. */
        VALIDATION("validation");

        private final String key;

        Source(String key) {
            this.key = key;
        }

        /** Its name in files. */
        public String key() {
            return key;
        }
    }

    public PredictionSets {
        if (scores.length == 0) {
            throw new IllegalArgumentException("there are no calibration scores");
        }
        scores = scores.clone();
        for (float score : scores) {
            if (!(score >= 0 && score <= 1)) {
                throw new IllegalArgumentException("a calibration score is " + score + " and not within 0..1");
            }
        }
        Arrays.sort(scores);
    }

    /**
     * Calibrated by images whose true classes have these probabilities. A large number is reduced to {@value #MAX_SCORES}
     * ranks, each rounded up to the next score, so that no coverage is lost.
     */
    public static PredictionSets of(Source source, float[] probabilitiesOfTruth) {
        float[] scores = new float[probabilitiesOfTruth.length];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(probabilitiesOfTruth[i]);
        }
        Arrays.sort(scores);
        return new PredictionSets(source, reduced(scores, MAX_SCORES));
    }

    /** Of n sorted scores those of rank ⌈j·(n + 1)/(most + 1)⌉, for j = 1..most. */
    static float[] reduced(float[] sorted, int most) {
        if (sorted.length <= most) {
            return sorted;
        }
        float[] few = new float[most];
        long step = sorted.length + 1L;
        for (int j = 1; j <= most; j++) {
            few[j - 1] = sorted[(int) ((j * step + most) / (most + 1)) - 1];
        }
        return few;
    }

    /** The score of a class. Rounded as calibration scores are, so that equal probabilities have equal scores. */
    private static float score(float probability) {
        return (float) (1.0 - probability);
    }

    /** The fewest calibration scores for which a set with this coverage may lack a class: 9 for 0.9, 19 for 0.95. */
    public static int fewestScores(double coverage) {
        requireCoverage(coverage);
        return (int) Math.ceil(coverage / (1 - coverage) * (1 - ROUNDING));
    }

    /** Refuses a coverage that is not a share of images. */
    public static void requireCoverage(double coverage) {
        if (!(coverage > 0 && coverage < 1)) {
            throw new IllegalArgumentException("coverage must lie between 0 and 1, such as 0.9, but is " + coverage);
        }
    }

    /**
     * q: the largest score of a class in the set. Infinite if there are too few calibration scores for the coverage, so that
     * only the set of all classes has it.
     *
     * @param coverage above 0 and below 1
     */
    public double threshold(double coverage) {
        requireCoverage(coverage);
        int rank = Math.max(1, (int) Math.ceil((scores.length + 1) * coverage - ROUNDING));
        return rank > scores.length ? Double.POSITIVE_INFINITY : scores[rank - 1];
    }

    /**
     * The classes of the set, the most probable first; of equally probable ones the first. May be empty.
     *
     * @param probabilities one per class
     * @param coverage above 0 and below 1
     */
    public List<Integer> members(float[] probabilities, double coverage) {
        double threshold = threshold(coverage);
        List<Integer> members = new ArrayList<>();
        for (int k = 0; k < probabilities.length; k++) {
            if (score(probabilities[k]) <= threshold) {
                members.add(k);
            }
        }
        members.sort(Comparator.<Integer>comparingDouble(k -> -probabilities[k]));
        return members;
    }
}
