package io.github.gramian.studio.project.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.Predictor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * The predictions of a run's model for photographs without a label, as a CSV file and, on request, as copies in one directory
 * per class.
 *
 * @param csv the file
 * @param counts number of photographs of each predicted class
 * @param unsure number of photographs whose class has a probability under {@value #UNSURE}
 * @param unreadable number of files without a prediction
 */
record RestPredictions(Path csv, Map<String, Integer> counts, int unsure, int unreadable) {

    private static final String HEADER = "path,label,probability\n";
    private static final double UNSURE = 0.6;

    RestPredictions {
        counts = new TreeMap<>(counts);
    }

    /**
     * Predicts.
     *
     * @param run directory of a trained run, which receives the files
     * @param open numbers of the photographs
     * @param folders whether photographs are copied
     * @param done receives the number of photographs so far; may throw to stop
     */
    static RestPredictions write(
            Path run, Photographs photographs, List<Integer> open, boolean folders, IntConsumer done)
            throws IOException {
        StringBuilder csv = new StringBuilder(HEADER);
        Map<String, Integer> counts = new TreeMap<>();
        Path copies = run.resolve("predicted");
        List<Path> files = open.stream().map(photographs::file).toList();
        int unsure = 0;
        int at = 0;
        try (Predictor predictor = Predictor.load(run.resolve("model.gramian"));
                Stream<Prediction> found = predictor.predictAll(files.stream(), BatchOptions.defaults())) {
            for (Prediction prediction : (Iterable<Prediction>) found::iterator) {
                int image = open.get(at++);
                if (prediction.rejection().isEmpty()) {
                    csv.append(line(photographs.path(image), prediction));
                    counts.merge(prediction.label(), 1, Integer::sum);
                    unsure += prediction.confidence() < UNSURE ? 1 : 0;
                    if (folders) {
                        copy(photographs, image, copies.resolve(folder(prediction.label())));
                    }
                }
                done.accept(at);
            }
        }
        Path target = run.resolve("predictions-of-unlabelled.csv");
        AtomicFile.writeText(target, csv.toString());
        int predicted = counts.values().stream().mapToInt(Integer::intValue).sum();
        return new RestPredictions(target, counts, unsure, open.size() - predicted);
    }

    private static String line(String path, Prediction prediction) {
        String plain = "=+-@".indexOf(path.charAt(0)) >= 0 ? "./" + path : path;
        return String.format(
                Locale.ROOT, "%s,%s,%.4f%n", quoted(plain), quoted(prediction.label()), prediction.confidence());
    }

    private static String quoted(String field) {
        return '"' + field.replace("\"", "\"\"") + '"';
    }

    /** A class's name as the name of a directory. */
    private static String folder(String label) {
        String plain = label.replaceAll("[^\\p{L}\\p{N} ._-]", "_").strip();
        return plain.isEmpty() || plain.startsWith(".") ? "_" + plain : plain;
    }

    /** With its path in its name: two directories may have files of the same name. */
    private static void copy(Photographs photographs, int image, Path directory) throws IOException {
        AtomicFile.makeFolder(directory);
        Path target = directory.resolve(photographs.path(image).replace('/', '_'));
        if (!Files.exists(target)) {
            Files.copy(photographs.file(image), target);
        }
    }
}
