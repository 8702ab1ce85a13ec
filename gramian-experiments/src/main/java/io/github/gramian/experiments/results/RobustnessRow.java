package io.github.gramian.experiments.results;

import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.ImageValues;
import io.github.gramian.experiments.grid.RobustnessResult;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * A model on corrupted images. The value of an image is the fraction of its corrupted copies that the model recognises, so an
 * interval over images accounts for all copies of an image together.
 */
record RobustnessRow(RobustnessResult result) {

    String method() {
        return result.cell().method();
    }

    String label() {
        return result.cell().label();
    }

    /** Accuracy on the same images without corruption. */
    ImageBootstrap clean() {
        return ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(List.of(bits(result.clean())))));
    }

    /** Mean accuracy over all corruptions and severities. */
    double corruptedAccuracy() {
        return share(one -> true).orElseThrow();
    }

    /** The same mean with its interval over images. */
    ImageBootstrap mean() {
        return ImageBootstrap.of(List.of(ImageValues.correct(corrupted())));
    }

    /** The mean of this model minus that of another on the same corrupted images. */
    ImageBootstrap minus(RobustnessRow other) {
        return ImageBootstrap.of(List.of(ImageValues.difference(other.corrupted(), corrupted())));
    }

    /** Mean accuracy over the corruptions that the classifier was fitted to, or over the others. */
    OptionalDouble meanWhere(boolean fitted, List<String> fittedTypes) {
        return share(one -> fittedTypes.contains(one.name()) == fitted);
    }

    /** Mean accuracy over the severities of one corruption. */
    double of(String name) {
        return share(one -> one.name().equals(name)).orElseThrow();
    }

    List<String> names() {
        return result.corruptions().stream()
                .map(RobustnessResult.Corrupted::name)
                .distinct()
                .toList();
    }

    List<Integer> severities() {
        return result.corruptions().stream()
                .map(RobustnessResult.Corrupted::severity)
                .distinct()
                .sorted()
                .toList();
    }

    /** Whether another model was evaluated on the same corrupted images. */
    boolean isComparableWith(RobustnessRow other) {
        return result.images().equals(other.result.images()) && cells(result).equals(cells(other.result));
    }

    private static List<String> cells(RobustnessResult of) {
        return of.corruptions().stream()
                .map(one -> one.name() + ":" + one.severity())
                .sorted()
                .toList();
    }

    private List<List<Boolean>> corrupted() {
        return result.corruptions().stream()
                .sorted(Comparator.comparing(RobustnessResult.Corrupted::name)
                        .thenComparing(RobustnessResult.Corrupted::severity))
                .map(one -> bits(one.correct()))
                .toList();
    }

    private OptionalDouble share(Predicate<RobustnessResult.Corrupted> which) {
        return result.corruptions().stream()
                .filter(which)
                .flatMapToInt(one -> one.correct().chars())
                .map(bit -> bit - '0')
                .average();
    }

    private static List<Boolean> bits(String text) {
        return text.chars().mapToObj(bit -> bit == '1').toList();
    }
}
