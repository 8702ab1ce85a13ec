package io.github.gramian.lab.grid;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.ImageValues;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.lab.grid.RunResult.ImageList;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * Which corrupted test images the model of one run recognises. Its file is next to the result of the run. The value of an image
 * is the fraction of its corrupted copies that the model recognises, so an interval over images accounts for all copies together.
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

    boolean has(Corruption wanted) {
        return corruptions.stream()
                .anyMatch(one -> one.name.equals(wanted.type().key()) && one.severity == wanted.severity());
    }

    RobustnessResult with(Corruption next, String correct) {
        List<Corrupted> more = new ArrayList<>(corruptions);
        more.add(new Corrupted(next.type().key(), next.severity(), correct));
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
        SealedJson.write(file, this);
    }

    /** All results on corrupted images in these folders and below, sorted. */
    public static List<RobustnessResult> readAll(List<Path> folders) throws IOException {
        List<RobustnessResult> results = new ArrayList<>();
        for (Path file : Results.files(folders, ".*" + ENDING)) {
            results.add(read(file));
        }
        results.removeIf(result -> result.corruptions.isEmpty());
        results.sort(Comparator.comparing(RobustnessResult::cell, RunResult.Cell.ORDER));
        return results;
    }

    public static RobustnessResult read(Path file) throws IOException {
        return ResultFolder.read(file, RobustnessResult.class, "a result on corrupted images");
    }

    /** Accuracy on the same images without corruption. */
    public ImageBootstrap cleanAccuracy() {
        return ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(List.of(bits(clean)))));
    }

    /** Mean accuracy over all corruptions and severities. */
    public double corruptedAccuracy() {
        return share(one -> true).orElseThrow();
    }

    /** The same mean with its interval over images. */
    public ImageBootstrap mean() {
        return ImageBootstrap.of(List.of(ImageValues.correct(corrupted())));
    }

    /** The mean of this model minus that of another on the same corrupted images. */
    public ImageBootstrap minus(RobustnessResult other) {
        return ImageBootstrap.of(List.of(ImageValues.difference(other.corrupted(), corrupted())));
    }

    /** Mean accuracy over the corruptions that the classifier was fitted to, or over the others. */
    public OptionalDouble meanWhere(boolean fitted, List<String> fittedTypes) {
        return share(one -> fittedTypes.contains(one.name()) == fitted);
    }

    /** Mean accuracy over the severities of one corruption. */
    public double of(String name) {
        return share(one -> one.name().equals(name)).orElseThrow();
    }

    public List<String> names() {
        return corruptions.stream().map(Corrupted::name).distinct().toList();
    }

    public List<Integer> severities() {
        return corruptions.stream().map(Corrupted::severity).distinct().sorted().toList();
    }

    /** Whether another model was evaluated on the same corrupted images. */
    public boolean isComparableWith(RobustnessResult other) {
        return images.equals(other.images) && cells().equals(other.cells());
    }

    private List<String> cells() {
        return corruptions.stream()
                .map(one -> one.name() + ":" + one.severity())
                .sorted()
                .toList();
    }

    private List<List<Boolean>> corrupted() {
        return corruptions.stream()
                .sorted(Comparator.comparing(Corrupted::name).thenComparing(Corrupted::severity))
                .map(one -> bits(one.correct()))
                .toList();
    }

    private OptionalDouble share(Predicate<Corrupted> which) {
        return corruptions.stream()
                .filter(which)
                .flatMapToInt(one -> one.correct().chars())
                .map(bit -> bit - '0')
                .average();
    }

    private static List<Boolean> bits(String text) {
        return text.chars().mapToObj(bit -> bit == '1').toList();
    }
}
