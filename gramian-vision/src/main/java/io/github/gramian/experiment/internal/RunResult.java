package io.github.gramian.experiment.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of one run of a grid: everything that a table or a test needs, in a few kilobytes.
 *
 * @param cell which run it was
 * @param recipe complete, without folders of the machine it ran on; as it was written, since recipes grow
 * @param passport evaluation protocol of the scores
 * @param measured what the model is worth
 * @param footprint what it takes
 */
public record RunResult(
        Cell cell, JsonNode recipe, EvaluationProtocol passport, Measured measured, Footprint footprint) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

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

        /** For messages. */
        String describe() {
            return grid + ": " + dataset + "/" + method + "/s" + split + "-r" + seed;
        }
    }

    /**
     * What a model said of images.
     *
     * @param validationAccuracy that chose settings; null without validation images
     * @param scores on the test images: accuracy, interval, means over classes, calibration
     * @param imagesSum of the {@link ImageList} that the predictions are for
     * @param predicted number of the most probable class, in the order of the list
     */
    public record Measured(
            @Nullable Double validationAccuracy, JsonNode scores, String imagesSum, List<Integer> predicted) {

        public Measured {
            if (!scores.path("accuracy").isNumber()) {
                throw new IllegalArgumentException("the scores have no accuracy");
            }
            predicted = List.copyOf(predicted);
        }
    }

    /**
     * Sizes and times.
     *
     * @param descriptorLength numbers that describe an image
     * @param trainable numbers that training may change
     * @param seconds by part, {@code total} among them
     * @param peakMemory bytes above what the process held before the run; null where the system does not tell
     * @param modelBytes size of the model file
     */
    public record Footprint(
            int descriptorLength,
            long trainable,
            Map<String, Double> seconds,
            @Nullable Long peakMemory,
            long modelBytes) {

        public Footprint {
            seconds = Map.copyOf(seconds);
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
        } catch (IllegalArgumentException fromAnotherTime) {
            return false;
        }
    }

    /** Writes it atomically. */
    void write(Path file) throws IOException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("grid", cell.grid());
        fields.put("method", cell.method());
        fields.put("label", cell.label());
        fields.put("dataset", cell.dataset());
        fields.put("split", cell.split());
        fields.put("seed", cell.seed());
        fields.put("validationAccuracy", measured.validationAccuracy());
        fields.put("scores", measured.scores());
        fields.put("descriptorLength", footprint.descriptorLength());
        fields.put("trainable", footprint.trainable());
        fields.put("seconds", new TreeMap<>(footprint.seconds()));
        fields.put("peakMemory", footprint.peakMemory());
        fields.put("modelBytes", footprint.modelBytes());
        fields.put("passport", passport);
        fields.put("recipe", recipe);
        fields.put("images", measured.imagesSum());
        fields.put("predicted", measured.predicted());
        ResultJson.write(file, fields);
    }

    /** Reads it back. */
    public static RunResult read(Path file) throws IOException {
        ResultJson.requireBounded(file, "a result");
        try {
            return of(ResultJson.read(file));
        } catch (JsonProcessingException | IllegalArgumentException wrong) {
            String reason =
                    wrong instanceof JsonProcessingException json ? json.getOriginalMessage() : wrong.getMessage();
            throw new IllegalArgumentException(
                    file + " is not a result of a run: " + reason + "; delete it and run the grid again", wrong);
        }
    }

    private static RunResult of(JsonNode tree) throws JsonProcessingException {
        for (String key : List.of("grid", "method", "dataset", "split", "seed", "recipe", "passport", "predicted")) {
            if (!tree.hasNonNull(key)) {
                throw new IllegalArgumentException("it has no " + key);
            }
        }
        Map<String, Double> seconds = new LinkedHashMap<>();
        tree.path("seconds")
                .properties()
                .forEach(part -> seconds.put(part.getKey(), part.getValue().asDouble()));
        List<Integer> predicted = new ArrayList<>();
        tree.path("predicted").forEach(label -> predicted.add(label.asInt(-1)));
        Cell cell = new Cell(
                tree.path("grid").asText(),
                tree.path("method").asText(),
                tree.path("label").asText(tree.path("method").asText()),
                tree.path("dataset").asText(),
                tree.path("split").asInt(),
                tree.path("seed").asLong());
        Measured measured = new Measured(
                tree.hasNonNull("validationAccuracy")
                        ? (Double) tree.path("validationAccuracy").asDouble()
                        : null,
                tree.path("scores"),
                tree.path("images").asText(),
                predicted);
        Footprint footprint = new Footprint(
                tree.path("descriptorLength").asInt(),
                tree.path("trainable").asLong(),
                seconds,
                tree.hasNonNull("peakMemory") ? (Long) tree.path("peakMemory").asLong() : null,
                tree.path("modelBytes").asLong());
        EvaluationProtocol passport = JSON.treeToValue(tree.path("passport"), EvaluationProtocol.class);
        return new RunResult(cell, tree.path("recipe"), passport, measured, footprint);
    }
}
