package io.github.gramian.lab.grid;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.ImageValues;
import io.github.gramian.eval.internal.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Methods on one dataset under one protocol, sorted by their difference to the reference. A method may have fewer runs than
 * the reference, so its accuracy alone does not rank it: its runs may be the easy ones. The difference is taken over the
 * runs that both have. Methods that share no run with the reference come last.
 *
 * @param dataset name within the grids
 * @param protocol of its first run; the others differ in split, seed and machine at most
 * @param rows largest difference to the reference first
 */
public record ResultTable(String dataset, EvaluationProtocol protocol, List<Row> rows) {

    /**
     * A method over its splits and seeds.
     *
     * @param dimensions of the descriptor
     * @param runs how many runs there are and what differs between them
     * @param accuracy on test images, with its interval over images and splits
     * @param spread of the accuracy over splits or, if there is one split, over seeds
     * @param seconds mean duration of a run
     * @param reference whether the others are compared with it
     * @param comparison with the reference; null for the reference itself and where the two share no run
     */
    public record Row(
            String grid,
            String method,
            String label,
            int dimensions,
            RunCount runs,
            ImageBootstrap accuracy,
            Spread spread,
            double seconds,
            boolean reference,
            @Nullable Comparison comparison) {}

    /**
     * A method and the reference on the runs that they share.
     *
     * @param shared number of shared runs
     * @param reference accuracy of the reference on them
     * @param difference accuracy of the method on them minus that of the reference
     */
    public record Comparison(RunCount shared, double reference, ImageBootstrap difference) {}

    public ResultTable {
        rows = List.copyOf(rows);
    }

    /** The grids that its rows come from, each once. */
    public List<String> grids() {
        return rows.stream().map(Row::grid).distinct().toList();
    }

    static ResultTable of(List<RunResult> runs, Results results, @Nullable String against) {
        Map<List<String>, List<RunResult>> grouped = new LinkedHashMap<>();
        for (RunResult run : runs) {
            grouped.computeIfAbsent(List.of(run.cell().grid(), run.cell().method()), unused -> new ArrayList<>())
                    .add(run);
        }
        List<MethodRuns> methods = grouped.values().stream()
                .map(some -> new MethodRuns(some, results))
                .sorted(Comparator.comparingDouble(MethodRuns::mean).reversed())
                .toList();
        MethodRuns reference = reference(methods, against);
        // the sort is stable: rows with the same difference remain in the order of their accuracy, the reference before
        // them
        List<Row> rows = new ArrayList<>();
        rows.add(row(reference, reference));
        methods.stream().filter(method -> method != reference).forEach(method -> rows.add(row(method, reference)));
        rows.sort(Comparator.comparingDouble(ResultTable::difference).reversed());
        return new ResultTable(runs.get(0).cell().dataset(), runs.get(0).passport(), rows);
    }

    private static double difference(Row row) {
        if (row.reference()) {
            return 0;
        }
        return row.comparison() == null
                ? Double.NEGATIVE_INFINITY
                : row.comparison().difference().mean();
    }

    private static Row row(MethodRuns method, MethodRuns reference) {
        RunResult.Cell cell = method.first().cell();
        return new Row(
                cell.grid(),
                cell.method(),
                cell.label(),
                method.first().footprint().descriptorLength(),
                method.count(),
                method.accuracy(),
                method.spread(),
                method.all().stream()
                        .mapToDouble(RunResult::totalSeconds)
                        .average()
                        .orElse(0),
                method == reference,
                method == reference ? null : comparison(method, reference));
    }

    private static @Nullable Comparison comparison(MethodRuns method, MethodRuns reference) {
        MethodRuns mine = method.sharedWith(reference);
        if (mine.splits.isEmpty()) {
            return null;
        }
        MethodRuns theirs = reference.sharedWith(method);
        return new Comparison(mine.count(), theirs.mean(), mine.minus(theirs));
    }

    /** The reference that others are compared with: the named method, or the best of those with the most runs. */
    private static MethodRuns reference(List<MethodRuns> bestFirst, @Nullable String named) {
        int most = bestFirst.stream()
                .mapToInt(method -> method.count().runs())
                .max()
                .orElseThrow();
        Optional<MethodRuns> wanted = bestFirst.stream()
                .filter(method -> method.first().cell().method().equals(named))
                .findFirst();
        return wanted.orElse(bestFirst.stream()
                .filter(method -> method.count().runs() == most)
                .findFirst()
                .orElseThrow());
    }

    /**
     * How many runs a figure is the mean of, and what differs between them.
     *
     * @param runs number of runs
     * @param splits number of different lists of test images among the runs
     */
    public record RunCount(int runs, int splits) {

        static RunCount of(Collection<RunResult> runs) {
            return new RunCount(runs.size(), (int)
                    runs.stream().map(run -> run.answers().images()).distinct().count());
        }

        /** Whether training and test images differ between runs: the spread covers both, and the random seed. */
        public boolean overSplits() {
            return splits > 1;
        }

        /** Whether only the random seed differs: the spread does not cover the choice of images. */
        public boolean overSeeds() {
            return splits == 1 && runs > 1;
        }

        /** For a table: {@code 10 splits}, {@code 5 seeds}, {@code 3 splits, 6 runs} or {@code 1 run}. */
        public String describe() {
            if (overSplits()) {
                return splits == runs ? splits + " splits" : splits + " splits, " + runs + " runs";
            }
            return overSeeds() ? runs + " seeds" : "1 run";
        }
    }

    /** All runs of one method in a table, by their test images: several seeds on the same images count as one split. */
    private static final class MethodRuns {

        private final Results results;
        private final Map<String, List<RunResult>> splits = new LinkedHashMap<>();

        MethodRuns(Collection<RunResult> runs, Results results) {
            this.results = results;
            for (RunResult run : runs) {
                splits.computeIfAbsent(run.answers().images(), unused -> new ArrayList<>())
                        .add(run);
            }
        }

        List<RunResult> all() {
            return splits.values().stream().flatMap(List::stream).toList();
        }

        RunResult first() {
            return all().get(0);
        }

        RunCount count() {
            return RunCount.of(all());
        }

        /** Mean over splits of the mean over seeds. */
        double mean() {
            return splits.values().stream()
                    .mapToDouble(MethodRuns::meanAccuracy)
                    .average()
                    .orElseThrow();
        }

        /** The accuracy with its interval over images and, if there are several, over splits. */
        ImageBootstrap accuracy() {
            return ImageBootstrap.ofAccuracy(splits.values().stream()
                    .map(seeds -> ImageValues.correct(correct(seeds)))
                    .toList());
        }

        /** Over splits if there are several, otherwise over seeds. */
        Spread spread() {
            return Spread.of(
                    splits.size() > 1
                            ? splits.values().stream()
                                    .map(MethodRuns::meanAccuracy)
                                    .toList()
                            : all().stream().map(RunResult::accuracy).toList());
        }

        /** The runs that the other method has as well: same split, same seed and same test images. */
        MethodRuns sharedWith(MethodRuns other) {
            return new MethodRuns(
                    all().stream()
                            .filter(mine -> other.all().stream().anyMatch(theirs -> isPair(mine, theirs)))
                            .toList(),
                    results);
        }

        /** This method minus the other, both reduced to the runs that they share. */
        ImageBootstrap minus(MethodRuns other) {
            List<ImageValues> differences = new ArrayList<>();
            splits.forEach((images, seeds) -> differences.add(ImageValues.difference(
                    other.correct(Objects.requireNonNull(other.splits.get(images))), correct(seeds))));
            return ImageBootstrap.of(differences);
        }

        private static boolean isPair(RunResult mine, RunResult theirs) {
            return mine.cell().split() == theirs.cell().split()
                    && mine.cell().seed() == theirs.cell().seed()
                    && mine.answers().images().equals(theirs.answers().images());
        }

        private static double meanAccuracy(List<RunResult> seeds) {
            return seeds.stream().mapToDouble(RunResult::accuracy).average().orElseThrow();
        }

        private List<List<Boolean>> correct(List<RunResult> seeds) {
            return seeds.stream().map(results::recognised).toList();
        }
    }
}
