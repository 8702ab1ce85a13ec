package io.github.gramian.experiment.search.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Candidates by what they gave on the largest rung that each has reached: first those on the most images, among them the most
 * accurate. Of equal ones the cheaper comes first.
 *
 * @param rows all candidates that were scored
 */
public record Leaderboard(List<Row> rows) {

    static final Comparator<Row> BY_WORK = Comparator.comparingDouble(
                    (Row row) -> row.candidate().work())
            .thenComparingInt(row -> row.trial().dimensions())
            .thenComparingInt(Row::rank);

    static final Comparator<Row> BY_SIZE = Comparator.comparingInt(
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
        List<TrialResult> sorted = largest.values().stream()
                .sorted(Comparator.comparingInt((TrialResult trial) -> -trial.rung())
                        .thenComparingDouble(trial -> -trial.accuracy())
                        .thenComparingDouble(trial -> Objects.requireNonNull(candidates.get(trial.candidate()))
                                .work())
                        .thenComparingInt(TrialResult::dimensions)
                        .thenComparing(TrialResult::candidate))
                .toList();
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

    /** The candidates on the most images: the only ones to choose from. */
    public List<Row> finalists() {
        int most = rows.stream().mapToInt(row -> row.trial().rung()).max().orElse(0);
        return rows.stream().filter(row -> row.trial().rung() == most).toList();
    }
}
