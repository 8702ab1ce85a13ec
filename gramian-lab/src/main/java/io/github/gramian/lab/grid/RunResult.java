package io.github.gramian.lab.grid;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of one run of a grid: everything that a table or a test needs, in a few kilobytes. Its file has the components
 * of its parts side by side, in the order in which they stand here.
 *
 * @param cell which run it was
 * @param measured quality of the model
 * @param footprint cost of the model
 * @param passport evaluation protocol of the scores
 * @param recipe complete, without folders of the machine it ran on; as it was written, since recipes grow
 * @param answers predictions of the test images
 */
public record RunResult(
        @JsonUnwrapped Cell cell,
        @JsonUnwrapped Measured measured,
        @JsonUnwrapped Footprint footprint,
        EvaluationProtocol passport,
        JsonNode recipe,
        @JsonUnwrapped Answers answers) {

    /**
     * The run's place in its grid.
     *
     * @param grid its name
     * @param method name within the grid
     * @param label of the method for people
     * @param dataset name within the grid
     * @param split of the dataset's protocol
     * @param seed of everything random
     */
    public record Cell(String grid, String method, String label, String dataset, int split, long seed) {

        /** As results are listed. */
        static final Comparator<Cell> ORDER = Comparator.comparing(Cell::dataset)
                .thenComparing(Cell::grid)
                .thenComparing(Cell::method)
                .thenComparing(Cell::split)
                .thenComparing(Cell::seed);

        /** Where its files are among the results, without an ending: {@code dtd/kernel/s1-r1}. */
        String place() {
            return dataset + "/" + method + "/s" + split + "-r" + seed;
        }

        String describe() {
            return grid + ": " + place();
        }
    }

    /**
     * Quality of the model.
     *
     * @param validationAccuracy that chose settings; null without validation images
     * @param scores on the test images: accuracy, interval, means over classes, calibration
     */
    public record Measured(@Nullable Double validationAccuracy, JsonNode scores) {

        public Measured {
            if (!scores.path("accuracy").isNumber()) {
                throw new IllegalArgumentException("the scores have no accuracy");
            }
        }
    }

    /**
     * Predictions of a model.
     *
     * @param images hash of the {@link ImageList} that the predictions are for
     * @param predicted number of the most probable class, in the order of the list
     */
    public record Answers(String images, List<Integer> predicted) {

        public Answers {
            predicted = List.copyOf(predicted);
        }
    }

    /**
     * Sizes and times.
     *
     * @param descriptorLength dimensions of a descriptor
     * @param trainable number of trainable values
     * @param seconds by part, {@code total} among them
     * @param peakMemory bytes above what the process held before the run; null if the system does not report it
     * @param modelBytes size of the model file
     */
    public record Footprint(
            int descriptorLength,
            long trainable,
            SortedMap<String, Double> seconds,
            @Nullable Long peakMemory,
            long modelBytes) {

        public Footprint {
            seconds = Collections.unmodifiableSortedMap(new TreeMap<>(seconds));
        }
    }

    /** Fraction of the test images that were predicted correctly. */
    public double accuracy() {
        return measured.scores().path("accuracy").asDouble();
    }

    /** From the start to the scores, however often it was stopped in between. */
    public double totalSeconds() {
        return footprint.seconds().getOrDefault("total", 0.0);
    }

    /** Whether it is the result of this recipe; keys that recipes did not have yet count as left at their defaults. */
    boolean isOf(Recipe portable) {
        try {
            return RecipeFile.merged(List.of(recipe), List.of()).equals(portable);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Writes it atomically. */
    void write(Path file) throws IOException {
        ResultFolder.write(file, this);
    }

    public static RunResult read(Path file) throws IOException {
        return ResultFolder.read(file, RunResult.class, "a result of a run");
    }
}
