package io.github.gramian.eval.internal;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.eval.Prediction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How sets of classes turn out on images whose classes are known.
 *
 * @param source key of the images that calibrated the sets
 * @param calibrationScores number of scores by which they are calibrated
 * @param levels one for each coverage that was asked for
 */
public record SetCoverage(String source, int calibrationScores, List<Level> levels) {

    /** The levels that a report shows. */
    public static final List<Double> LEVELS = List.of(0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99);

    /**
     * The sets at one level.
     *
     * @param level the coverage that was asked for
     * @param coverage share of images whose set holds their class
     * @param meanSize mean number of classes in a set
     * @param single share of images with a single class in their set
     * @param exactCoverage the coverage if sets may be empty, which is the one that the theory is about
     * @param exactMeanSize the mean size if sets may be empty
     */
    public record Level(
            double level,
            double coverage,
            double meanSize,
            double single,
            double exactCoverage,
            double exactMeanSize) {}

    public SetCoverage {
        levels = List.copyOf(levels);
    }

    /**
     * Measures the coverage and the mean size of sets at each level.
     *
     * @param predictions with their true classes; at least one
     */
    public static SetCoverage of(List<Prediction> predictions, PredictionSets calibration, List<Double> levels) {
        List<Level> all = new ArrayList<>();
        for (double level : levels) {
            all.add(level(predictions, level, calibration));
        }
        return new SetCoverage(calibration.source().key(), calibration.scores().length, all);
    }

    private static Level level(List<Prediction> predictions, double level, PredictionSets sets) {
        double covered = 0;
        double size = 0;
        double single = 0;
        double exactlyCovered = 0;
        double exactSize = 0;
        for (Prediction prediction : predictions) {
            List<Integer> members = sets.members(prediction.probabilities(), level);
            boolean inside = members.contains(prediction.truth());
            exactlyCovered += inside ? 1 : 0;
            exactSize += members.size();
            covered += inside || (members.isEmpty() && prediction.correct()) ? 1 : 0;
            size += Math.max(1, members.size());
            single += members.size() <= 1 ? 1 : 0;
        }
        int n = predictions.size();
        return new Level(level, covered / n, size / n, single / n, exactlyCovered / n, exactSize / n);
    }

    /** The member {@code sets} of {@code scores.json}. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("source", source);
        map.put("calibrationScores", calibrationScores);
        map.put("levels", levels);
        return map;
    }
}
