package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.eval.Prediction;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes the result of a finished training into the results of a grid. */
final class ResultWriter {

    private final GridRun run;
    private final RunFolder folder;

    ResultWriter(GridRun run, RunFolder folder) {
        this.run = run;
        this.folder = folder;
    }

    /** Writes the result, and the images that it is about next to it. */
    RunResult into(ResultFolder results, Map<String, Double> seconds, @Nullable Long peakMemory) throws IOException {
        ScoresFile file = ScoresFile.read(folder.scores());
        TreeMap<String, Integer> truths = new TreeMap<>();
        TreeMap<String, Integer> predicted = new TreeMap<>();
        for (Prediction prediction : PredictionsFile.read(folder.predictions(), file)) {
            truths.put(prediction.image(), prediction.truth());
            predicted.put(prediction.image(), prediction.predicted());
        }
        ImageList images = new ImageList(List.copyOf(truths.keySet()), List.copyOf(truths.values()));
        images.keep(results.path().resolve(run.dataset()), run.split(), run.seed());
        RunResult result = new RunResult(
                run.cell(),
                new RunResult.Measured(file.validationAccuracy(), compact(file.scoresTree())),
                new RunResult.Footprint(
                        file.descriptorLength(),
                        file.trainable(),
                        new TreeMap<>(seconds),
                        peakMemory,
                        Files.size(folder.model())),
                file.protocol(),
                ConfigJson.toTree(run.portableRecipe()),
                new RunResult.Answers(images.sha256(), List.copyOf(predicted.values())));
        result.write(results.result(run));
        return result;
    }

    /** The scores without what grows with the number of classes. */
    private static JsonNode compact(ObjectNode scores) {
        scores.remove(List.of("perClass", "confusion"));
        ((ObjectNode) scores.path("calibration")).remove("bins");
        return scores;
    }
}
