package io.github.gramian.eval;

import io.github.gramian.eval.internal.McNemar;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * All scores on a test set. Macro means are plain means over the classes that have images in the test: a class
 * without images has no recall, and a zero for it would punish the model for the split.
 *
 * @param accuracy fraction of images whose most probable class is the true one (top-1)
 * @param images how many were scored
 * @param interval confidence interval of the accuracy
 * @param top5 fraction of images whose true class is among the five most probable; null with five classes or fewer, where it
 *     could only be 1
 * @param macroPrecision mean of the classes' precision
 * @param macroRecall mean of the classes' recall, the same number as the mean class accuracy
 * @param macroF1 mean of the classes' F1
 * @param perClass in the order of the class list
 */
public record Scores(
        double accuracy,
        int images,
        ConfidenceInterval interval,
        @Nullable Double top5,
        double macroPrecision,
        double macroRecall,
        double macroF1,
        Calibration calibration,
        List<ClassScore> perClass,
        ConfusionMatrix confusion) {

    private static final int TOP = 5;

    public Scores {
        Objects.requireNonNull(interval, "scores need an interval");
        Objects.requireNonNull(calibration, "scores need a calibration");
        Objects.requireNonNull(confusion, "scores need a confusion matrix");
        perClass = List.copyOf(perClass);
    }

    /**
     * Scores the predictions for a test set.
     *
     * @param predictions one an image, views already fused
     * @param classes names in the order of the probabilities
     * @param seed of the bootstrap
     */
    public static Scores of(List<Prediction> predictions, List<String> classes, long seed) {
        if (predictions.isEmpty()) {
            throw new IllegalArgumentException("there are no images to score; give a test split with at least one");
        }
        // throws where an image stands in the list twice: it would count twice
        McNemar.recognised(predictions);
        ConfusionMatrix confusion = ConfusionMatrix.of(predictions, classes);
        List<ClassScore> perClass = ClassScore.of(confusion);
        int correct = confusion.correct();
        int images = predictions.size();
        return new Scores(
                (double) correct / images,
                images,
                ConfidenceInterval.ofAccuracy(correct, images, seed),
                classes.size() <= TOP ? null : (Double) top5(predictions),
                macro(perClass, ClassScore::precision),
                macro(perClass, ClassScore::recall),
                macro(perClass, ClassScore::f1),
                Calibration.of(predictions),
                perClass,
                confusion);
    }

    private static double top5(List<Prediction> predictions) {
        return (double) predictions.stream().filter(p -> p.rankOfTruth() <= TOP).count() / predictions.size();
    }

    private static double macro(List<ClassScore> perClass, ToDoubleFunction<ClassScore> score) {
        return perClass.stream()
                .filter(one -> one.support() > 0)
                .mapToDouble(score)
                .average()
                .orElse(0);
    }

    /** Mean over classes of the fraction of their images that was predicted correctly: every class weighs the same. */
    public double meanClassAccuracy() {
        return macroRecall;
    }

    /**
     * Whether the mean class accuracy lies outside the interval of the accuracy. The accuracy then hides that some classes
     * are recognised much worse than others.
     */
    public boolean classesDiffer() {
        return meanClassAccuracy() < interval.lower() || meanClassAccuracy() > interval.upper();
    }

    /** One line for a terminal. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "accuracy %.2f %% (%.0f %% interval %.2f..%.2f)%s%s, macro F1 %.2f %%, calibration error %.2f %%, %d %s",
                100 * accuracy,
                100 * interval.level(),
                100 * interval.lower(),
                100 * interval.upper(),
                classesDiffer()
                        ? String.format(Locale.ROOT, ", mean class accuracy %.2f %%", 100 * meanClassAccuracy())
                        : "",
                top5 == null ? "" : String.format(Locale.ROOT, ", top-5 %.2f %%", 100 * top5),
                100 * macroF1,
                100 * calibration.expectedError(),
                images,
                images == 1 ? "image" : "images");
    }
}
