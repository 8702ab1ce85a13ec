package io.github.gramian.experiments.grid;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.ImageValues;
import io.github.gramian.eval.internal.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** All runs of one method in a table, by their test images: several seeds on the same images count as one split. */
final class MethodRuns {

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
                        ? splits.values().stream().map(MethodRuns::meanAccuracy).toList()
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

    boolean isEmpty() {
        return splits.isEmpty();
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
