package io.github.gramian.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.eval.ProtocolPassport;
import io.github.gramian.eval.RunSummary;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads back what a training or an evaluation left in its folder. */
public final class FinishedRun {

    private static final long MOST_BYTES = 1L << 28;
    private static final JsonMapper JSON = new JsonMapper();

    private FinishedRun() {}

    /**
     * What a ranking needs to know of the run in a folder.
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
            Map<String, Object> scores =
                    JSON.readValue(Files.readString(folder.scores()), new TypeReference<Map<String, Object>>() {});
            if (!(scores.get("accuracy") instanceof Number accuracy)) {
                throw new IllegalArgumentException("it has no accuracy");
            }
            return new RunSummary(
                    name,
                    ProtocolPassport.fromMap(fields(scores, "passport")),
                    accuracy.doubleValue(),
                    ConfidenceInterval.fromMap(fields(scores, "interval")),
                    recognised(folder.predictions()));
        } catch (JsonProcessingException | IllegalArgumentException wrong) {
            String reason = wrong instanceof JsonProcessingException ? "a file is no JSON" : wrong.getMessage();
            throw new IllegalArgumentException(
                    "the scores of " + name + " cannot be used: " + reason
                            + "; train again, or measure its model with: gramian evaluate --out",
                    wrong);
        }
    }

    private static Map<String, Object> fields(Map<String, Object> scores, String key) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (!(scores.get(key) instanceof Map<?, ?> found)) {
            throw new IllegalArgumentException("it has no " + key);
        }
        found.forEach((field, value) -> fields.put(String.valueOf(field), value));
        return fields;
    }

    /** Of each image whether it was recognised; empty where the predictions are not at hand. */
    private static Map<String, Boolean> recognised(Path predictions) throws IOException {
        Map<String, Boolean> recognised = new LinkedHashMap<>();
        if (!Files.isRegularFile(predictions)) {
            return recognised;
        }
        try (BufferedReader lines = Files.newBufferedReader(predictions)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode image = JSON.readTree(line);
                if (!image.hasNonNull("id") || !image.path("truth").isInt()) {
                    throw new IllegalArgumentException("a line of predictions.jsonl has no id or no truth");
                }
                recognised.put(
                        image.path("id").asText(),
                        image.path("truth").asInt() == image.path("predicted").asInt(-1));
            }
        }
        return recognised;
    }
}
