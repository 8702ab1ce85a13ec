package io.github.gramian.search.internal;

import io.github.gramian.search.SearchOptions.Preference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;

/**
 * Candidates by what they gave on the largest rung that each has reached: first those to choose from, then those on the most
 * images, among them the most accurate. Of equal ones the cheaper comes first.
 *
 * <p>To choose from are those on the most images, unless one that had time for fewer images only beats the best of them there
 * by more than one standard error: that a candidate was cheap enough for all images does not make it a good one. Then they are
 * those on as many images as that one.
 *
 * @param rows all candidates that were scored
 */
public record Leaderboard(List<Row> rows) {

    private static final Comparator<Row> BY_WORK = Comparator.comparingDouble(
                    (Row row) -> row.candidate().work())
            .thenComparingInt(row -> row.trial().dimensions())
            .thenComparingInt(Row::rank);

    private static final Comparator<Row> BY_SIZE = Comparator.comparingInt(
                    (Row row) -> row.trial().dimensions())
            .thenComparingDouble(row -> row.candidate().work())
            .thenComparingInt(Row::rank);

    /**
     * One candidate.
     *
     * @param rank from 1
     * @param trial its result on the largest rung it has reached
     * @param accuracy of that trial
     * @param behind how far it is behind the best of its rung, image by image
     * @param front whether no candidate on as many images is both cheaper and more accurate
     */
    public record Row(
            int rank, Candidate candidate, TrialResult trial, Estimate accuracy, Estimate behind, boolean front) {}

    public Leaderboard {
        rows = List.copyOf(rows);
    }

    /**
     * Of trials, at most one for each candidate and rung.
     *
     * @param groups of the images of each rung
     */
    static Leaderboard of(
            Collection<TrialResult> trials, Map<String, Candidate> candidates, List<List<String>> groups) {
        Map<String, TrialResult> largest = new LinkedHashMap<>();
        trials.forEach(trial -> largest.merge(trial.candidate(), trial, (a, b) -> a.rung() >= b.rung() ? a : b));
        List<TrialResult> sorted = new ArrayList<>(largest.values());
        sorted.sort(Comparator.comparingInt((TrialResult trial) -> -trial.rung())
                .thenComparingDouble(trial -> -trial.accuracy())
                .thenComparingDouble(trial -> Objects.requireNonNull(candidates.get(trial.candidate()))
                        .work())
                .thenComparingInt(TrialResult::dimensions)
                .thenComparing(TrialResult::candidate));
        int deciding = deciding(sorted, trials, groups);
        sorted.sort(Comparator.comparing(trial -> trial.rung() != deciding));
        Map<Integer, TrialResult> best = new LinkedHashMap<>();
        sorted.forEach(trial -> best.putIfAbsent(trial.rung(), trial));
        List<Row> rows = new ArrayList<>();
        for (TrialResult trial : sorted) {
            List<String> images = groups.get(trial.rung());
            Candidate candidate = Objects.requireNonNull(candidates.get(trial.candidate()));
            boolean front = sorted.stream()
                    .noneMatch(other -> other.rung() == trial.rung()
                            && other.accuracy() > trial.accuracy()
                            && other.millis() <= trial.millis());
            rows.add(new Row(
                    rows.size() + 1,
                    candidate,
                    trial,
                    Estimate.of(trial, images),
                    Estimate.difference(Objects.requireNonNull(best.get(trial.rung())), trial, images),
                    front));
        }
        return new Leaderboard(rows);
    }

    /** The rung on which the candidates to choose from are compared. */
    private static int deciding(List<TrialResult> sorted, Collection<TrialResult> trials, List<List<String>> groups) {
        if (sorted.isEmpty()) {
            return 0;
        }
        TrialResult best = sorted.get(0);
        for (TrialResult other : sorted) {
            if (other.rung() < best.rung() && beats(other, best.candidate(), trials, groups)) {
                best = other;
            }
        }
        return best.rung();
    }

    /** Whether a candidate is better than another on its own rung. */
    private static boolean beats(
            TrialResult one, String other, Collection<TrialResult> trials, List<List<String>> groups) {
        return trials.stream()
                .filter(trial -> trial.rung() == one.rung() && trial.candidate().equals(other))
                .anyMatch(trial ->
                        Estimate.difference(one, trial, groups.get(one.rung())).exceeds(1));
    }

    /** The choice among the rows that were scored on most images. */
    public Optional<Row> choose(Preference preference) {
        if (preference == Preference.ACCURACY) {
            return finalists().stream().min(Comparator.comparingInt(Row::rank));
        }
        double errors = preference == Preference.SPEED ? 2 : 1;
        return finalists().stream()
                .filter(row -> !row.behind().exceeds(errors))
                .min(preference == Preference.SMALL ? BY_SIZE : BY_WORK);
    }

    /** The candidates to choose from, the best first. */
    public List<Row> finalists() {
        return rows.stream()
                .filter(row -> row.trial().rung() == rows.get(0).trial().rung())
                .toList();
    }

    /**
     * A mean over images with its standard error. Images of one group are not independent: the error is that of sums over groups,
     * SE² = Σ_g (Σ_{i∈g} (xᵢ − x̄))² / n², which for images on their own is the usual one.
     *
     * @param mean x̄
     * @param error its standard error
     */
    public record Estimate(double mean, double error) {

        /** Half the width of a 95 % interval, in standard errors. */
        private static final double WIDE = 1.96;

        /** The accuracy of one trial. Where all images agree, its error is that of one more image each way, not zero. */
        static Estimate of(TrialResult trial, List<String> groups) {
            Estimate found = of(trial.hits().length(), trial::hit, groups);
            if (found.error() > 0) {
                return found;
            }
            double images = trial.images() + 2.0;
            double share = (found.mean() * trial.images() + 1) / images;
            return new Estimate(found.mean(), Math.sqrt(share * (1 - share) / images));
        }

        /** By how much one trial is better than another on the images that both predicted. */
        static Estimate difference(TrialResult better, TrialResult other, List<String> groups) {
            if (better.rung() != other.rung()) {
                throw new IllegalArgumentException("trials on different rungs cannot be compared image by image");
            }
            return of(better.hits().length(), i -> better.hit(i) - other.hit(i), groups);
        }

        private static Estimate of(int images, IntToDoubleFunction values, List<String> groups) {
            double sum = 0;
            int count = 0;
            for (int i = 0; i < images; i++) {
                double value = values.applyAsDouble(i);
                if (!Double.isNaN(value)) {
                    sum += value;
                    count++;
                }
            }
            double mean = sum / count;
            Map<String, Double> byGroup = new HashMap<>();
            for (int i = 0; i < images; i++) {
                double value = values.applyAsDouble(i);
                if (!Double.isNaN(value)) {
                    byGroup.merge(Objects.requireNonNull(groups.get(i)), value - mean, Double::sum);
                }
            }
            // In a fixed order, since a sum of rounded values depends on it.
            double squares = groups.stream()
                    .distinct()
                    .filter(byGroup::containsKey)
                    .mapToDouble(group -> Math.pow(Objects.requireNonNull(byGroup.get(group)), 2))
                    .sum();
            return new Estimate(mean, Math.sqrt(squares) / count);
        }

        /** Whether it is above zero by more than this number of standard errors. */
        boolean exceeds(double errors) {
            return mean > errors * error;
        }

        /** Half the width of the 95 % interval. */
        public double halfInterval() {
            return WIDE * error;
        }
    }
}
