package io.github.gramian.experiment.internal;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.PairedComparison;
import io.github.gramian.eval.internal.PairedRun;
import io.github.gramian.eval.internal.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Methods on one dataset under one protocol, best first.
 *
 * @param dataset name within the grids
 * @param passport of its first run; the others differ in split, seed and machine at most
 * @param rows best mean accuracy first
 */
public record ResultTable(String dataset, EvaluationProtocol passport, List<Row> rows) {

    /** Of the bootstrap; any number would do, but always the same one. */
    private static final long SEED = 1;

    /**
     * A method over its splits and seeds.
     *
     * @param numbers dimensions of the descriptor
     * @param accuracy on test images
     * @param seconds of a run
     * @param reference whether the others are compared with it
     * @param comparison this method minus the reference, on the runs that both have; null for the reference itself and
     *     where there are none
     */
    public record Row(
            String grid,
            String method,
            String label,
            int numbers,
            Spread accuracy,
            double seconds,
            boolean reference,
            @Nullable PairedComparison comparison) {}

    public ResultTable {
        rows = List.copyOf(rows);
    }

    /** The grids that its rows come from, each once. */
    public List<String> grids() {
        return rows.stream().map(Row::grid).distinct().toList();
    }

    static ResultTable of(List<RunResult> runs, Results results, @Nullable String against) {
        Map<List<String>, List<RunResult>> methods = new LinkedHashMap<>();
        for (RunResult run : runs) {
            methods.computeIfAbsent(List.of(run.cell().grid(), run.cell().method()), unused -> new ArrayList<>())
                    .add(run);
        }
        List<List<RunResult>> sorted = methods.values().stream()
                .sorted(Comparator.<List<RunResult>>comparingDouble(
                                some -> accuracy(some).mean())
                        .reversed())
                .toList();
        List<RunResult> reference = reference(sorted, against);
        List<Row> rows = new ArrayList<>();
        for (List<RunResult> method : sorted) {
            RunResult one = method.get(0);
            List<PairedRun> pairs = method == reference ? List.of() : pairs(reference, method, results);
            rows.add(new Row(
                    one.cell().grid(),
                    one.cell().method(),
                    one.cell().label(),
                    one.footprint().descriptorLength(),
                    accuracy(method),
                    method.stream()
                            .mapToDouble(RunResult::totalSeconds)
                            .average()
                            .orElse(0),
                    method == reference,
                    pairs.isEmpty() ? null : PairedComparison.of(pairs, SEED)));
        }
        return new ResultTable(runs.get(0).cell().dataset(), runs.get(0).passport(), rows);
    }

    /** What the others are compared with: the named method, or the best of those with the most runs. */
    private static List<RunResult> reference(List<List<RunResult>> bestFirst, @Nullable String named) {
        int most = bestFirst.stream().mapToInt(List::size).max().orElseThrow();
        return bestFirst.stream()
                .filter(some -> some.get(0).cell().method().equals(named))
                .findFirst()
                .orElseGet(() -> bestFirst.stream()
                        .filter(some -> some.size() == most)
                        .findFirst()
                        .orElseThrow());
    }

    private static Spread accuracy(List<RunResult> runs) {
        return Spread.of(runs.stream().map(RunResult::accuracy).toList());
    }

    /** The runs of both methods on the same split with the same seed. */
    private static List<PairedRun> pairs(List<RunResult> reference, List<RunResult> method, Results results) {
        List<PairedRun> pairs = new ArrayList<>();
        for (RunResult first : reference) {
            for (RunResult second : method) {
                if (first.cell().split() == second.cell().split()
                        && first.cell().seed() == second.cell().seed()
                        && first.answers().images().equals(second.answers().images())) {
                    pairs.add(new PairedRun(
                            first.answers().images(), results.recognised(first), results.recognised(second)));
                }
            }
        }
        return pairs;
    }
}
