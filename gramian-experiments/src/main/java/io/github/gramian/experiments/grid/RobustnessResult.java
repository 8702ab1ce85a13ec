package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which corrupted test images the model of one run recognises. Its file is next to the result of the run.
 *
 * @param cell which run it was
 * @param images hash of the {@link ImageList} of the evaluated images
 * @param fitted names of the corruptions that the classifier was fitted to
 * @param clean which clean images are recognised: 1 or 0 per image, in the order of the list
 * @param corruptions which corrupted images are recognised
 */
public record RobustnessResult(
        @JsonUnwrapped RunResult.Cell cell,
        String images,
        List<String> fitted,
        String clean,
        List<Corrupted> corruptions) {

    /** How the name of its file ends. */
    static final String ENDING = ".robustness.json";

    private static final int MAX_DEPTH = 8;

    private static final List<String> REQUIRED =
            List.of("grid", "method", "label", "dataset", "split", "seed", "images", "fitted", "clean", "corruptions");

    /**
     * One corruption at one severity.
     *
     * @param name of the corruption
     * @param severity from 1 to 5
     * @param correct 1 or 0 per image, in the order of the list
     */
    public record Corrupted(String name, int severity, String correct) {}

    public RobustnessResult {
        fitted = List.copyOf(fitted);
        corruptions = List.copyOf(corruptions);
        int count = clean.length();
        if (!clean.matches("[01]+")
                || corruptions.stream()
                        .anyMatch(one -> !one.correct.matches("[01]+") || one.correct.length() != count)) {
            throw new IllegalArgumentException("it must have 0 or 1 for each image");
        }
    }

    boolean has(String name, int severity) {
        return corruptions.stream().anyMatch(one -> one.name.equals(name) && one.severity == severity);
    }

    RobustnessResult with(Corrupted other) {
        List<Corrupted> more = new ArrayList<>(corruptions);
        more.add(other);
        return new RobustnessResult(cell, images, fitted, clean, more);
    }

    /** Zeros and ones of predictions. */
    static String correct(List<Integer> truths, int[] predicted) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < predicted.length; i++) {
            text.append(truths.get(i) == predicted[i] ? '1' : '0');
        }
        return text.toString();
    }

    /** Writes it atomically. */
    void write(Path file) throws IOException {
        ResultJson.write(file, this);
    }

    /** All results on corrupted images in these folders and below, sorted. */
    public static List<RobustnessResult> readAll(List<Path> folders) throws IOException {
        List<RobustnessResult> results = new ArrayList<>();
        for (Path folder : folders) {
            List<Path> files;
            try (Stream<Path> walk = Files.walk(folder, MAX_DEPTH)) {
                files = walk.filter(file -> file.toString().endsWith(ENDING)).toList();
            }
            for (Path file : files) {
                results.add(read(file));
            }
        }
        results.removeIf(result -> result.corruptions.isEmpty());
        results.sort(Comparator.comparing(RobustnessResult::cell, RunResult.Cell.ORDER));
        return results;
    }

    public static RobustnessResult read(Path file) throws IOException {
        return ResultJson.read(file, RobustnessResult.class, REQUIRED, "a result on corrupted images");
    }
}
