package io.github.gramian.eval.internal;

import io.github.gramian.eval.Prediction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * McNemar's test: do two models differ on the same images by more than chance? Images that both or neither predict
 * correctly do not count; of the b + c others, a fair coin would give each model half. The exact two-sided p is
 *
 * <pre>
 * p = min(1, 2 · Σ_{i ≤ min(b,c)} C(b+c, i) / 2^(b+c))
 * </pre>
 *
 * computed exactly for every number of images, so that no χ² approximation with its rule of thumb is needed. Without
 * discordant images p is 1.
 *
 * @param onlyFirst b: images that only the first model predicts correctly
 * @param onlySecond c: images that only the second model predicts correctly
 * @param p probability of a difference as large or larger by chance
 */
public record McNemar(int onlyFirst, int onlySecond, double p) {

    /** The test from the counts of discordant images. */
    public static McNemar ofCounts(int onlyFirst, int onlySecond) {
        if (onlyFirst < 0 || onlySecond < 0) {
            throw new IllegalArgumentException("counts must be 0 or more but are " + onlyFirst + " and " + onlySecond);
        }
        double[] mass = Binomial.probabilities(Math.addExact(onlyFirst, onlySecond), 0.5);
        double tail = 0;
        for (int i = 0; i <= Math.min(onlyFirst, onlySecond); i++) {
            tail += mass[i];
        }
        return new McNemar(onlyFirst, onlySecond, Math.min(1, 2 * tail));
    }

    /** The test between two models for which it is known, image by image, whether the prediction is correct. */
    public static McNemar between(Map<String, Boolean> first, Map<String, Boolean> second) {
        requireAll(first, second, "first");
        requireAll(second, first, "second");
        int onlyFirst = 0;
        int onlySecond = 0;
        for (Map.Entry<String, Boolean> image : first.entrySet()) {
            boolean byFirst = image.getValue();
            boolean bySecond = second.getOrDefault(image.getKey(), false);
            onlyFirst += byFirst && !bySecond ? 1 : 0;
            onlySecond += bySecond && !byFirst ? 1 : 0;
        }
        return ofCounts(onlyFirst, onlySecond);
    }

    private static void requireAll(Map<String, Boolean> images, Map<String, Boolean> others, String which) {
        for (String id : images.keySet()) {
            if (!others.containsKey(id)) {
                throw new IllegalArgumentException("only the " + which + " model has a prediction for " + id + " ("
                        + images.size() + " images against " + others.size()
                        + "); evaluate both models on the same test images");
            }
        }
    }

    /** Whether the prediction for each image is correct, by id and in the order of the predictions; an id may occur once. */
    public static Map<String, Boolean> recognised(List<Prediction> predictions) {
        Map<String, Boolean> recognised = new LinkedHashMap<>();
        for (Prediction prediction : predictions) {
            if (recognised.put(prediction.image(), prediction.correct()) != null) {
                throw new IllegalArgumentException(
                        prediction.image() + " is predicted twice; list each image once and average its views first");
            }
        }
        return recognised;
    }
}
