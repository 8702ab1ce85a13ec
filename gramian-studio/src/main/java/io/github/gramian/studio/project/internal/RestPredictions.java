package io.github.gramian.studio.project.internal;

import io.github.gramian.dataset.layout.internal.CsvFile;
import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.Predictor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The predictions of a run's model for photographs without a label. They are in a CSV file, from which they are read after a
 * restart.
 *
 * @param csv the file
 * @param rows of photographs that are still there
 */
record RestPredictions(Path csv, List<Row> rows) {

    private static final String HEADER = "path,label,probability,novelty,problem";

    private static final double UNSURE = 0.6;

    /** Share of the photographs like the training images that are called unlike them. */
    private static final double NOVEL = 0.05;

    /**
     * One photograph.
     *
     * @param label the predicted class; empty if the file cannot be read
     * @param probability of that class
     * @param novelty p-value; 1 if the model has no reference
     * @param problem why the file cannot be read, or empty
     */
    record Row(int image, String label, double probability, double novelty, String problem) {

        boolean isUnsure() {
            return problem.isEmpty() && probability < UNSURE;
        }

        boolean isUnlikeAll() {
            return problem.isEmpty() && novelty < NOVEL;
        }
    }

    RestPredictions {
        rows = List.copyOf(rows);
    }

    /** Where the predictions of a run are. */
    static Path csv(Path run) {
        return run.resolve("predictions-of-unlabelled.csv");
    }

    /**
     * Predicts.
     *
     * @param run directory of a trained run, which receives the file
     * @param open numbers of the photographs
     * @param done receives the number of photographs so far; may throw to stop
     */
    static RestPredictions write(Path run, Photographs photographs, List<Integer> open, IntConsumer done)
            throws IOException {
        StringBuilder lines = new StringBuilder(HEADER + "\n");
        List<Row> rows = new ArrayList<>();
        List<Path> files = open.stream().map(photographs::file).toList();
        try (Predictor predictor = Predictor.load(run.resolve("model.gramian"));
                Stream<Prediction> found = predictor.predictAll(files.stream(), BatchOptions.defaults())) {
            for (Prediction prediction : (Iterable<Prediction>) found::iterator) {
                Row row = row(open.get(rows.size()), prediction);
                rows.add(row);
                lines.append(line(photographs.path(row.image()), row));
                done.accept(rows.size());
            }
        }
        AtomicFile.writeText(csv(run), lines.toString());
        return new RestPredictions(csv(run), rows);
    }

    private static Row row(int image, Prediction prediction) {
        return prediction.rejection().isPresent()
                ? new Row(image, "", 0, 1, prediction.rejection().get().replaceAll("\\s+", " "))
                : new Row(
                        image,
                        prediction.label(),
                        prediction.confidence(),
                        prediction.novelty().orElse(1),
                        "");
    }

    private static String line(String path, Row row) {
        String plain = "=+-@".indexOf(path.charAt(0)) >= 0 ? "./" + path : path;
        return Text.format(
                "%s,%s,%.4f,%.4f,%s\n",
                quoted(plain), quoted(row.label()), row.probability(), row.novelty(), quoted(row.problem()));
    }

    private static String quoted(String field) {
        return '"' + field.replace("\"", "\"\"") + '"';
    }

    /** Reads what {@link #write} wrote. */
    static RestPredictions read(Path csv, Photographs photographs) {
        List<Row> rows = new ArrayList<>();
        for (CsvFile.Row line : CsvFile.read(csv).rows()) {
            String path = line.field(0);
            int image = photographs.number(path.startsWith("./") ? path.substring(2) : path);
            if (image >= 0) {
                rows.add(new Row(
                        image,
                        line.field(1),
                        Double.parseDouble(line.field(2)),
                        Double.parseDouble(line.field(3)),
                        line.field(4)));
            }
        }
        return new RestPredictions(csv, rows);
    }

    /** What the page shows all the time. */
    Map<String, Object> summary(Photographs photographs) {
        return Map.of(
                "counts", counts(),
                "unsure", rows.stream().filter(Row::isUnsure).count(),
                "unlike", rows.stream().filter(Row::isUnlikeAll).count(),
                "problems",
                        rows.stream()
                                .filter(row -> !row.problem().isEmpty())
                                .limit(Pictures.MAX_PROBLEMS)
                                .map(row -> photographs.path(row.image()) + ": " + row.problem())
                                .toList(),
                "unreadable", rows.size() - readable().count(),
                "predicted", String.valueOf(csv.getParent()));
    }

    /** The photographs that can be read, with their classes. */
    List<Map<String, Object>> list() {
        return readable()
                .map(row -> Map.<String, Object>of(
                        "image", row.image(),
                        "label", row.label(),
                        "probability", row.probability(),
                        "unsure", row.isUnsure(),
                        "unlike", row.isUnlikeAll()))
                .toList();
    }

    private Map<String, Long> counts() {
        return readable().collect(Collectors.groupingBy(Row::label, TreeMap::new, Collectors.counting()));
    }

    private Stream<Row> readable() {
        return rows.stream().filter(row -> row.problem().isEmpty());
    }

    /**
     * Copies the photographs into one directory per class, with their own subdirectories, so that none replaces another.
     *
     * @param done receives the number of photographs so far; may throw to stop
     */
    void copy(Photographs photographs, IntConsumer done) throws IOException {
        Path copies = csv.resolveSibling("predicted");
        for (int i = 2; Files.exists(copies); i++) {
            copies = csv.resolveSibling("predicted-" + i);
        }
        Map<String, String> folders = folders(counts().keySet());
        int count = 0;
        for (Row row : (Iterable<Row>) readable()::iterator) {
            Path target = copies.resolve(folders.getOrDefault(row.label(), "_")).resolve(photographs.path(row.image()));
            Files.createDirectories(target.resolveSibling(""));
            Files.copy(photographs.file(row.image()), target);
            done.accept(++count);
        }
    }

    /** A name of a directory for each class. On many disks, names that differ only in case are the same. */
    private static Map<String, String> folders(Set<String> labels) {
        Map<String, String> folders = new HashMap<>();
        Set<String> taken = new HashSet<>();
        for (String label : labels) {
            String plain = label.replaceAll("[^\\p{L}\\p{N} ._-]", "_").replaceAll("^[. ]+|[. ]+$", "_");
            String name = plain;
            for (int i = 2; !taken.add(name.toLowerCase(Locale.ROOT)); i++) {
                name = plain + " " + i;
            }
            folders.put(label, name);
        }
        return folders;
    }
}
