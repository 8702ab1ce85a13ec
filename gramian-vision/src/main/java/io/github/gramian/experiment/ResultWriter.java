package io.github.gramian.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.model.config.ConfigJson;
import io.github.gramian.run.FinishedRun;
import io.github.gramian.run.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes the result of a finished training into the results of a grid. */
final class ResultWriter {

    private static final JsonMapper JSON = new JsonMapper();

    private static final List<String> SCORES = List.of(
            "accuracy", "images", "interval", "top5", "macroPrecision", "macroRecall", "macroF1", "meanClassAccuracy");

    private final GridRun run;
    private final RunFolder folder;

    ResultWriter(GridRun run, RunFolder folder) {
        this.run = run;
        this.folder = folder;
    }

    /** Writes the result, and the images that it is about beside it. */
    RunResult into(Path results, Map<String, Double> seconds, @Nullable Long peakMemory) throws IOException {
        JsonNode scores = FinishedRun.scores(folder);
        TreeMap<String, Integer> truths = new TreeMap<>();
        TreeMap<String, Integer> predicted = new TreeMap<>();
        for (String line : FinishedRun.predictions(folder)) {
            JsonNode image = JSON.readTree(line);
            truths.put(image.path("id").asText(), image.path("truth").asInt());
            predicted.put(image.path("id").asText(), image.path("predicted").asInt());
        }
        ImageList images = new ImageList(List.copyOf(truths.keySet()), List.copyOf(truths.values()));
        images.keep(results.resolve(run.dataset()), run.split(), run.seed());
        JsonNode validation = scores.path("validation").path("accuracy");
        RunResult result = new RunResult(
                run.cell(),
                ConfigJson.toTree(run.portableRecipe()),
                EvaluationProtocol.fromMap(RunResult.fields(scores.path("passport"))),
                new RunResult.Measured(
                        validation.isNumber() ? (Double) validation.asDouble() : null,
                        compact(scores),
                        images.sha256(),
                        List.copyOf(predicted.values())),
                new RunResult.Footprint(
                        scores.path("descriptorLength").asInt(),
                        scores.path("trainable").path("head").asLong()
                                + scores.path("trainable").path("backbone").asLong(),
                        seconds,
                        peakMemory,
                        Files.size(folder.model())));
        result.write(results.resolve(run.place() + ".json"));
        return result;
    }

    private static JsonNode compact(JsonNode scores) {
        ObjectNode kept = JSON.createObjectNode();
        SCORES.forEach(key -> kept.set(key, scores.path(key)));
        ObjectNode calibration = kept.putObject("calibration");
        scores.path("calibration").properties().stream()
                .filter(entry -> entry.getValue().isNumber())
                .forEach(entry -> calibration.set(entry.getKey(), entry.getValue()));
        return kept;
    }
}
