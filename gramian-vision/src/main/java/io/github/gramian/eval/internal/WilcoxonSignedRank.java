package io.github.gramian.eval.internal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Wilcoxon's signed-rank test of paired differences: were they as likely to fall on one side of zero as on the other? Pairs
 * without a difference are left out, tied sizes share the mean of their ranks. Up to 25 pairs p is exact, over all 2ⁿ
 * signs, ties included; above, the normal approximation with the correction for ties and continuity. With n pairs p cannot
 * fall below 2 / 2ⁿ: three splits never give less than 0.25.
 *
 * @param pairs that differ
 * @param positive sum of the ranks of positive differences
 * @param p two-sided; 1 where no pair differs
 */
public record WilcoxonSignedRank(int pairs, double positive, double p) {

    private static final int MOST_EXACT = 25;

    /** The test of these differences. */
    public static WilcoxonSignedRank of(List<Double> differences) {
        List<Double> sorted = new ArrayList<>();
        for (double difference : differences) {
            if (Double.isNaN(difference)) {
                throw new IllegalArgumentException("a difference is not a number; leave that pair out");
            }
            if (difference != 0) {
                sorted.add(difference);
            }
        }
        sorted.sort(Comparator.comparingDouble(Math::abs));
        int n = sorted.size();
        if (n == 0) {
            return new WilcoxonSignedRank(0, 0, 1);
        }
        int[] twice = twiceTheRanks(sorted);
        int positive = 0;
        for (int i = 0; i < n; i++) {
            positive += sorted.get(i) > 0 ? twice[i] : 0;
        }
        double p = n <= MOST_EXACT ? exact(twice, positive) : approximate(twice, positive);
        return new WilcoxonSignedRank(n, positive / 2.0, Math.min(1, p));
    }

    /** Mean ranks of ties are halves at worst; doubled, all are whole. */
    private static int[] twiceTheRanks(List<Double> sorted) {
        int[] twice = new int[sorted.size()];
        int start = 0;
        while (start < twice.length) {
            int end = start + 1;
            while (end < twice.length && tied(sorted.get(start), sorted.get(end))) {
                end++;
            }
            for (int i = start; i < end; i++) {
                twice[i] = start + 1 + end;
            }
            start = end;
        }
        return twice;
    }

    /** Accuracies are quotients of whole numbers; what differs only by rounding is tied. */
    private static boolean tied(double a, double b) {
        return Math.abs(Math.abs(a) - Math.abs(b)) <= 1e-12;
    }

    /** Counts the signs that give each sum of ranks. */
    private static double exact(int[] twice, int positive) {
        int total = 0;
        for (int rank : twice) {
            total += rank;
        }
        double[] ways = new double[total + 1];
        ways[0] = 1;
        for (int rank : twice) {
            for (int sum = total; sum >= rank; sum--) {
                ways[sum] += ways[sum - rank];
            }
        }
        double all = Math.pow(2, twice.length);
        int smaller = Math.min(positive, total - positive);
        double tail = 0;
        for (int sum = 0; sum <= smaller; sum++) {
            tail += ways[sum];
        }
        return 2 * tail / all;
    }

    private static double approximate(int[] twice, int positive) {
        double mean = 0;
        double variance = 0;
        for (int rank : twice) {
            mean += rank / 4.0;
            variance += rank * (double) rank / 16; // a quarter of the squared rank: ties are in it already
        }
        double distance = Math.max(0, Math.abs(positive / 2.0 - mean) - 0.5);
        return 2 * Normal.upperTail(distance / Math.sqrt(variance));
    }
}
