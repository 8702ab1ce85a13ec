package io.github.gramian.cli.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Brings rows and columns of a matrix of similarities into an order in which similar ones are neighbours, so that its
 * picture shows groups: the two most similar groups are joined again and again (average linkage), each turned so that the
 * ends that meet are most alike. The same matrix always gives the same order.
 */
public final class SimilarOrder {

    private final double[][] between;
    private final double[][] of;

    private SimilarOrder(double[][] similarities) {
        this.of = similarities;
        this.between = IntStream.range(0, similarities.length)
                .mapToObj(i -> similarities[i].clone())
                .toArray(double[][]::new);
    }

    /** The matrix in that order; as it is if it is not square. */
    public static double[][] applied(double[][] matrix) {
        int n = matrix.length;
        if (n < 3 || Arrays.stream(matrix).anyMatch(row -> row.length != n)) {
            return matrix;
        }
        List<Integer> order = of(matrix);
        return order.stream()
                .map(row -> order.stream()
                        .mapToDouble(column -> matrix[row][column])
                        .toArray())
                .toArray(double[][]::new);
    }

    /** Which row comes first, second, … */
    static List<Integer> of(double[][] matrix) {
        int n = matrix.length;
        double[][] similarities = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double value = (matrix[i][j] + matrix[j][i]) / 2;
                similarities[i][j] = Double.isFinite(value) ? value : 0;
            }
        }
        return new SimilarOrder(similarities).joined();
    }

    private List<Integer> joined() {
        List<List<Integer>> groups = new ArrayList<>();
        IntStream.range(0, of.length).forEach(i -> groups.add(List.of(i)));
        while (groups.size() > 1) {
            int first = 0;
            int second = 1;
            for (int i = 0; i < groups.size(); i++) {
                for (int j = i + 1; j < groups.size(); j++) {
                    if (between[i][j] > between[first][second]) {
                        first = i;
                        second = j;
                    }
                }
            }
            join(groups, first, second);
        }
        return groups.get(0);
    }

    /** Puts the second group into the first one's place, and the last group into the second one's. */
    private void join(List<List<Integer>> groups, int first, int second) {
        int one = groups.get(first).size();
        int other = groups.get(second).size();
        int last = groups.size() - 1;
        groups.set(first, meeting(groups.get(first), groups.get(second)));
        for (int k = 0; k <= last; k++) {
            double mean = (one * between[first][k] + other * between[second][k]) / (one + other);
            between[first][k] = mean;
            between[k][first] = mean;
        }
        groups.set(second, groups.get(last));
        groups.remove(last);
        for (int k = 0; k <= last; k++) {
            between[second][k] = between[last][k];
            between[k][second] = between[k][last];
        }
    }

    /** One after the other, of the four ways that in which the ends that meet are most alike. */
    private List<Integer> meeting(List<Integer> one, List<Integer> other) {
        List<Integer> best = List.of();
        double most = Double.NEGATIVE_INFINITY;
        for (List<Integer> left : List.of(one, reversed(one))) {
            for (List<Integer> right : List.of(other, reversed(other))) {
                double alike = of[left.get(left.size() - 1)][right.get(0)];
                if (alike > most) {
                    most = alike;
                    best = new ArrayList<>(left);
                    best.addAll(right);
                }
            }
        }
        return best;
    }

    private static List<Integer> reversed(List<Integer> list) {
        List<Integer> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }
}
