package io.github.gramian.dense.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * What tells a good part from a defect when the cells of its photograph have scores. The score of a photograph is the mean of
 * its largest cells, one in a hundred, divided by its median cell. Its p-value is conformal. Of G objects with good photographs,
 *
 * <pre>  p = (1 + Σ 1/(photographs of the same object)) / (G + 1)</pre>
 *
 * <p>where the sum is over good photographs that score at least as much, each by a fit without its object. A new good photograph
 * has p ≤ α with a probability of at most α, also one of a new object. Needs no engine.
 *
 * @param scores of the good photographs, each by a fit without its group
 * @param groups number of the object of each of these photographs: 0, 1, …
 * @param cell how many times the median cell a cell scores that belongs to the region of a defect
 * @param rate share of good photographs that may raise an alarm
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not compared
public record Calibration(float[] scores, int[] groups, float cell, double rate) {

    /** More than what sums of fractions lose when they are rounded. */
    private static final double ROUNDING = 1e-9;

    /** One in this number of cells counts as the largest. */
    private static final int LARGEST = 100;

    /** Far more than this program writes. */
    private static final int MAX_PHOTOGRAPHS = 1 << 22;

    /** A file may hold anything: everything is checked before it is used. */
    public Calibration {
        if (scores.length == 0
                || scores.length > MAX_PHOTOGRAPHS
                || groups.length != scores.length
                || !(cell > 0 && Float.isFinite(cell))) {
            throw new IllegalArgumentException(
                    "the surface has " + scores.length + " calibration scores of photographs, " + groups.length
                            + " groups and the cell threshold " + cell);
        }
        requireFinite(scores);
        requireCounted(groups);
        if (!(rate > 0 && rate < 1)) {
            throw new IllegalArgumentException("a rate of false alarms lies between 0 and 1 but is " + rate);
        }
    }

    static void requireFinite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a value of the surface is " + value);
            }
        }
    }

    /** Groups are 0, 1, … without gaps. */
    private static void requireCounted(int[] groups) {
        boolean[] seen = new boolean[groups.length];
        int count = 0;
        for (int group : groups) {
            if (group < 0 || group >= groups.length) {
                throw new IllegalArgumentException(
                        "a group of the surface is " + group + ", outside of 0.." + (groups.length - 1));
            }
            count = Math.max(count, group + 1);
            seen[group] = true;
        }
        for (int group = 0; group < count; group++) {
            if (!seen[group]) {
                throw new IllegalArgumentException("group " + group + " of the surface has no photograph");
            }
        }
    }

    /**
     * The judgement of a photograph.
     *
     * @param map score of each cell, row by row
     * @param width number of columns
     * @param median score of the median cell
     * @param photograph score of the photograph
     * @param pValue small if the photograph does not look like a good one
     * @param isDefect whether it raises an alarm
     * @param regions where it does not look like a good one, the largest score first; none for a good one
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    public record Scores(
            float[] map,
            int width,
            float median,
            float photograph,
            double pValue,
            boolean isDefect,
            List<Region> regions) {

        /** Number of rows. */
        public int height() {
            return map.length / width;
        }
    }

    /**
     * Cells that touch each other and score above the threshold, as the smallest rectangle around them.
     *
     * @param left first column
     * @param top first row
     * @param width number of columns
     * @param height number of rows
     * @param cells number of cells above the threshold
     * @param peak how many times the median cell the largest one scores
     */
    public record Region(int left, int top, int width, int height, int cells, double peak) {}

    /**
     * Refuses a rate of false alarms that so few good photographs cannot promise.
     *
     * @param objects number of independent objects among the photographs
     */
    public static void requireRate(double rate, int photographs, int objects) {
        if (!(rate > 0 && rate < 1)) {
            throw new IllegalArgumentException("a rate of false alarms lies between 0 and 1 but is " + rate);
        }
        double smallest = 1.0 / (1 + objects);
        if (rate + ROUNDING < smallest) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "a rate of false alarms of %.3g needs at least %d %s, but there are %d; take more photographs, or allow"
                            + " a rate of %.3g",
                    rate,
                    (long) Math.ceil(1 / rate - 1 - ROUNDING),
                    objects == photographs ? "good photographs" : "objects with good photographs",
                    objects,
                    Math.ceil(smallest * 1000) / 1000));
        }
    }

    /** The same with another rate of false alarms. */
    public Calibration withRate(double other) {
        requireRate(other, scores.length, objects());
        return new Calibration(scores, groups, cell, other);
    }

    /** Number of independent objects among the good photographs. */
    public int objects() {
        return Arrays.stream(groups).max().orElseThrow() + 1;
    }

    /**
     * Judges a photograph.
     *
     * @param map score of each cell, row by row
     * @param width number of columns
     */
    public Scores judge(float[] map, int width) {
        float median = median(map);
        float photograph = photoScore(map);
        double pValue = pValue(photograph);
        boolean isDefect = pValue <= rate + ROUNDING;
        return new Scores(
                map, width, median, photograph, pValue, isDefect, isDefect ? regions(map, width, median) : List.of());
    }

    /**
     * The score of a photograph: the mean of its largest cells, divided by its median cell. One cell alone would depend on noise,
     * and the brightness of the photograph cancels out.
     */
    public static float photoScore(float[] map) {
        float[] sorted = map.clone();
        Arrays.sort(sorted);
        // NaN comes last.
        if (!Float.isFinite(sorted[sorted.length - 1]) || !Float.isFinite(sorted[0])) {
            return Float.NaN;
        }
        int largest = Math.max(1, sorted.length / LARGEST);
        double sum = 0;
        for (int i = sorted.length - largest; i < sorted.length; i++) {
            sum += sorted[i];
        }
        return (float) (sum / largest / median(map));
    }

    private static float median(float[] map) {
        float[] sorted = map.clone();
        Arrays.sort(sorted);
        return Math.max(sorted[(sorted.length - 1) / 2], Float.MIN_NORMAL);
    }

    /** The p-value of a photograph with this score; small if it does not look like a good one. */
    public double pValue(double photoScore) {
        int[] sizes = new int[objects()];
        for (int group : groups) {
            sizes[group]++;
        }
        double atLeast = 0;
        for (int i = 0; i < scores.length; i++) {
            atLeast += scores[i] >= photoScore ? 1.0 / sizes[groups[i]] : 0;
        }
        return (1 + atLeast) / (1 + sizes.length);
    }

    /** Cells that touch each other, also at a corner, and score above the threshold; the largest score comes first. */
    private List<Region> regions(float[] map, int width, float median) {
        boolean[] wanted = new boolean[map.length];
        for (int i = 0; i < map.length; i++) {
            wanted[i] = map[i] >= cell * median;
        }
        List<Region> regions = new ArrayList<>();
        for (int i = 0; i < map.length; i++) {
            if (wanted[i]) {
                regions.add(region(map, wanted, width, i, median));
            }
        }
        regions.sort(Comparator.comparingDouble(Region::peak).reversed());
        return List.copyOf(regions);
    }

    /** The region of a cell, whose cells are no longer wanted afterwards. */
    private static Region region(float[] map, boolean[] wanted, int width, int start, float median) {
        int height = map.length / width;
        int left = width;
        int top = height;
        int right = -1;
        int bottom = -1;
        int cells = 0;
        float peak = 0;
        Deque<Integer> open = new ArrayDeque<>(List.of(start));
        wanted[start] = false;
        while (!open.isEmpty()) {
            int cell = open.pop();
            int x = cell % width;
            int y = cell / width;
            left = Math.min(left, x);
            right = Math.max(right, x);
            top = Math.min(top, y);
            bottom = Math.max(bottom, y);
            peak = Math.max(peak, map[cell]);
            cells++;
            for (int row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
                for (int column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
                    int next = row * width + column;
                    if (wanted[next]) {
                        wanted[next] = false;
                        open.push(next);
                    }
                }
            }
        }
        return new Region(left, top, right - left + 1, bottom - top + 1, cells, peak / median);
    }
}
