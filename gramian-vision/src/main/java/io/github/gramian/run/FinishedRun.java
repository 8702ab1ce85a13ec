package io.github.gramian.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.RunSummary;
import io.github.gramian.io.Checksum;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the results of a training or an evaluation from its folder. */
public final class FinishedRun {

    private static final long MOST_BYTES = 1L << 28;
    private static final JsonMapper JSON = new JsonMapper();

    /** Where the scores keep the checksum of the predictions they were computed from. */
    static final String PREDICTIONS_SUM = "predictionsCrc32c";

    private FinishedRun() {}

    /**
     * The summary of the run in a folder, for a ranking.
     *
     * @throws IllegalArgumentException if the folder holds no scores, or broken ones
     */
    public static RunSummary read(RunFolder folder, String name) throws IOException {
        if (!Files.isRegularFile(folder.scores())) {
            throw new IllegalArgumentException(name + " has no scores.json; finish it with: gramian resume " + name
                    + ", or measure its model with: gramian evaluate --out");
        }
        if (Files.size(folder.scores()) > MOST_BYTES) {
            throw new IllegalArgumentException(folder.scores() + " is too large for scores; is it another file?");
        }
        try {
            Map<String, Object> scores = JSON.convertValue(scores(folder), new TypeReference<Map<String, Object>>() {});
            if (!(scores.get("accuracy") instanceof Number accuracy)) {
                throw new IllegalArgumentException("it has no accuracy");
            }
            return new RunSummary(
                    name,
                    EvaluationProtocol.fromMap(fields(scores, "passport")),
                    accuracy.doubleValue(),
                    ConfidenceInterval.fromMap(fields(scores, "interval")),
                    recognised(folder));
        } catch (JsonProcessingException | IllegalArgumentException | TrainingException wrong) {
            String reason = wrong instanceof JsonProcessingException ? "a file is not JSON" : wrong.getMessage();
            throw new IllegalArgumentException(
                    "the scores of " + name + " cannot be used: " + reason
                            + "; train again, or measure its model with: gramian evaluate --out",
                    wrong);
        }
    }

    /**
     * The scores of a run, as they were written.
     *
     * @throws TrainingException if they are damaged
     */
    public static ObjectNode scores(RunFolder folder) throws IOException {
        return SealedJson.read(folder.scores());
    }

    /**
     * The predictions, as they were written with the scores.
     *
     * @throws TrainingException if it is damaged
     */
    public static List<String> predictions(RunFolder folder) throws IOException {
        String text = new String(Files.readAllBytes(folder.predictions()), StandardCharsets.UTF_8);
        if (!Checksum.of(text).equals(scores(folder).path(PREDICTIONS_SUM).asText())) {
            throw new TrainingException(
                    folder.predictions() + " is damaged: it is not what the scores were computed from");
        }
        return text.lines().toList();
    }

    private static Map<String, Object> fields(Map<String, Object> scores, String key) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (!(scores.get(key) instanceof Map<?, ?> found)) {
            throw new IllegalArgumentException("it has no " + key);
        }
        found.forEach((field, value) -> fields.put(String.valueOf(field), value));
        return fields;
    }

    /** Whether the prediction for each image is correct; empty where the predictions are missing. */
    private static Map<String, Boolean> recognised(RunFolder folder) throws IOException {
        Map<String, Boolean> recognised = new LinkedHashMap<>();
        if (!Files.isRegularFile(folder.predictions())) {
            return recognised;
        }
        for (String line : predictions(folder)) {
            JsonNode image = JSON.readTree(line);
            if (!image.hasNonNull("id") || !image.path("truth").isInt()) {
                throw new IllegalArgumentException("a line of predictions.jsonl has no id or no truth");
            }
            recognised.put(
                    image.path("id").asText(),
                    image.path("truth").asInt() == image.path("predicted").asInt(-1));
        }
        return recognised;
    }
}
