package io.github.gramian.cli.model;

import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.ClassMix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The result of {@code gramian drift}.
 *
 * @param novelties p-values of the images that could be read
 * @param rejected number of the other files
 * @param known number of images that training has used
 * @param pValue of the hypothesis that the images come from the source of the training images
 * @param shares how often each class is predicted, for those that occur
 * @param mix the same compared with the test images of the run; empty without a run
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not changed
record DriftReport(
        double[] novelties,
        int rejected,
        int known,
        double pValue,
        Map<String, Double> shares,
        Optional<ClassMix> mix) {

    /** The p-value below which images do not fit. Tests are often repeated, so it is lower than the usual 0.05. */
    static final double LEVEL = 0.01;

    /** Novelty below which an image is called unusual. */
    private static final double UNUSUAL = 0.05;

    private static final int MAX_CLASSES = 5;

    /** How often each class is predicted. */
    static Map<String, Double> shares(List<Prediction> predictions) {
        Map<String, Double> shares = new TreeMap<>();
        predictions.forEach(one -> shares.merge(one.label(), 1.0 / predictions.size(), Double::sum));
        return shares;
    }

    boolean fits() {
        return pValue >= LEVEL;
    }

    private double unusual() {
        return (double) Arrays.stream(novelties).filter(one -> one < UNUSUAL).count() / novelties.length;
    }

    String sentence() {
        boolean one = novelties.length == 1;
        String images = one ? "The image" : "The " + novelties.length + " images";
        String fit = fits() ? one ? "fits" : "fit" : one ? "does not fit" : "do not fit";
        return images + " " + fit + String.format(Locale.ROOT, " the training images (p = %.2g).", pValue);
    }

    /** For people. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(sentence());
        lines.add(String.format(
                Locale.ROOT,
                "unusual images (novelty below %s): %.1f %%, where about %.0f %% are expected",
                UNUSUAL,
                100 * unusual(),
                100 * UNUSUAL));
        if (mix.isPresent()) {
            lines.addAll(mixLines(mix.get()));
        } else {
            lines.add("classes: not compared, since only a run directory has predictions to compare with");
        }
        if (known > 0) {
            lines.add("warning: the model's training has used " + known
                    + " of these images, which therefore look more usual than new ones");
        }
        if (rejected > 0) {
            lines.add("rejected: " + rejected + (rejected == 1 ? " file" : " files") + " that cannot be read");
        }
        return lines;
    }

    private static List<String> mixLines(ClassMix mix) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                mix.pValue() < LEVEL
                        ? "classes: predicted in other shares than for the test images of the run (p = %.2g)"
                        : "classes: predicted in about the same shares as for the test images of the run (p = %.2g)",
                mix.pValue()));
        if (mix.pValue() < LEVEL) {
            mix.shares().stream()
                    .limit(MAX_CLASSES)
                    .map(one -> String.format(
                            Locale.ROOT,
                            "  %5.1f %% instead of %5.1f %%  %s",
                            100 * one.share(),
                            100 * one.reference(),
                            one.label()))
                    .forEach(lines::add);
            lines.add("  Either the photographs show other things than before, or the model makes other mistakes."
                    + " Without labels, Gramian cannot determine which.");
        }
        return lines;
    }

    /** For programs. */
    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("images", novelties.length);
        map.put("rejected", rejected);
        map.put("usedInTraining", known);
        map.put("fits", fits());
        map.put("pValue", pValue);
        map.put("sentence", sentence());
        map.put("unusual", unusual());
        map.put("classes", classes());
        return map;
    }

    private Map<String, Object> classes() {
        Map<String, Object> map = new LinkedHashMap<>();
        if (mix.isEmpty()) {
            map.put("compared", false);
            map.put("shares", shares);
            return map;
        }
        map.put("compared", true);
        map.put("pValue", mix.get().pValue());
        map.put("shares", mix.get().shares());
        return map;
    }
}
