package io.github.gramian.lab.grid;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.lab.grid.RunResult.ImageList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Results of grids, read back and checked: an accuracy that is not that of its predictions is refused. */
public final class Results {

    private static final int MAX_DEPTH = 8;

    /** Fields in which two runs of one table may differ: split, seed and machine. */
    private static final Set<String> NO_MATTER = Set.of("split", "counts", "seed", "hardware");

    private final List<RunResult> runs;
    private final Map<String, ImageList> images;

    private Results(List<RunResult> runs, Map<String, ImageList> images) {
        this.runs = List.copyOf(runs);
        this.images = Map.copyOf(images);
    }

    /** All results in these folders and below. */
    public static Results read(List<Path> folders) throws IOException {
        List<RunResult> runs = new ArrayList<>();
        Map<String, ImageList> images = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (Path file : files(folders, "images-.*\\.json|s\\d+-r\\d+\\.json")) {
            if (isNamed(file, "images-.*\\.json")) {
                ImageList list = ImageList.read(file);
                images.put(list.sha256(), list);
            } else {
                RunResult run = RunResult.read(file);
                if (!names.add(run.cell().describe())) {
                    throw new IllegalArgumentException(file + " is the second result of "
                            + run.cell().describe() + "; give one directory of each grid");
                }
                runs.add(run);
            }
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(
                    "there are no results in " + folders + "; make some with: gramian experiment");
        }
        runs.sort(Comparator.comparing(RunResult::cell, RunResult.Cell.ORDER));
        Results results = new Results(runs, images);
        runs.forEach(results::check);
        return results;
    }

    /** The files in these folders and below whose names match a pattern. */
    static List<Path> files(List<Path> folders, String pattern) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            try (Stream<Path> walk = Files.walk(folder, MAX_DEPTH)) {
                walk.filter(file -> isNamed(file, pattern))
                        .filter(Files::isRegularFile)
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static boolean isNamed(Path file, String pattern) {
        return String.valueOf(file.getFileName()).matches(pattern);
    }

    private void check(RunResult run) {
        List<Boolean> recognised = recognised(run);
        double share = (double) recognised.stream().filter(hit -> hit).count() / recognised.size();
        if (Math.abs(share - run.accuracy()) > 1e-9) {
            throw new IllegalArgumentException("the result of " + run.cell().describe() + " states an accuracy of "
                    + run.accuracy() + " but its predictions give " + share + "; run it again");
        }
    }

    /** Which test images a run predicted correctly, in the order of its list. */
    public List<Boolean> recognised(RunResult run) {
        ImageList list = images.get(run.answers().images());
        if (list == null
                || list.ids().size() != run.answers().predicted().size()
                || list.ids().isEmpty()) {
            throw new IllegalArgumentException("the images of " + run.cell().describe()
                    + " are not listed next to it; restore the file images-….json of its dataset");
        }
        List<Boolean> recognised = new ArrayList<>();
        for (int i = 0; i < list.truths().size(); i++) {
            recognised.add(list.truths().get(i).equals(run.answers().predicted().get(i)));
        }
        return recognised;
    }

    /** All runs, sorted. */
    public List<RunResult> runs() {
        return runs;
    }

    /**
     * A table for each dataset and protocol; those of one dataset follow each other, the one with most runs first.
     *
     * @param against method that the others are compared with; null for the best of those with the most runs
     */
    public List<ResultTable> tables(@Nullable String against) {
        if (against != null
                && runs.stream().noneMatch(run -> run.cell().method().equals(against))) {
            throw new IllegalArgumentException("no result is of the method '" + against + "'; name one of "
                    + runs.stream().map(run -> run.cell().method()).distinct().toList());
        }
        Map<String, Map<String, List<RunResult>>> byDataset = new TreeMap<>();
        for (RunResult run : runs) {
            byDataset
                    .computeIfAbsent(run.cell().dataset(), unused -> new LinkedHashMap<>())
                    .computeIfAbsent(protocol(run.passport()), unused -> new ArrayList<>())
                    .add(run);
        }
        List<ResultTable> tables = new ArrayList<>();
        for (Map<String, List<RunResult>> protocols : byDataset.values()) {
            Collection<List<RunResult>> alike = protocols.values().stream()
                    .sorted(Comparator.<List<RunResult>>comparingInt(List::size).reversed())
                    .toList();
            alike.forEach(some -> tables.add(ResultTable.of(some, this, against)));
        }
        return tables;
    }

    /** Fields that must be equal for accuracies to be ranked. */
    private static String protocol(EvaluationProtocol protocol) {
        Map<String, @Nullable Object> fields = new TreeMap<>(protocol.fields());
        fields.keySet().removeAll(NO_MATTER);
        return Objects.toString(fields);
    }

    /** Seconds of all runs of a method on a dataset, most expensive first, named {@code dataset, grid, method}. */
    public List<Cost> costs() {
        Map<List<String>, List<RunResult>> groups = new LinkedHashMap<>();
        for (RunResult run : runs) {
            groups.computeIfAbsent(
                            List.of(
                                    run.cell().dataset(),
                                    run.cell().grid(),
                                    run.cell().method()),
                            unused -> new ArrayList<>())
                    .add(run);
        }
        return groups.values().stream()
                .map(Cost::of)
                .sorted(Comparator.comparingDouble(Cost::seconds)
                        .reversed()
                        .thenComparing(Cost::dataset)
                        .thenComparing(Cost::grid)
                        .thenComparing(Cost::method))
                .toList();
    }

    /** Cost of a method on a dataset, over all splits and seeds. */
    public record Cost(String dataset, String grid, String method, String label, int runs, double seconds) {

        private static Cost of(List<RunResult> runs) {
            RunResult.Cell cell = runs.get(0).cell();
            double seconds = 0;
            for (RunResult run : runs) {
                seconds += run.totalSeconds();
            }
            return new Cost(cell.dataset(), cell.grid(), cell.method(), cell.label(), runs.size(), seconds);
        }
    }
}
