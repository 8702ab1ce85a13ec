package io.github.gramian.run.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.github.gramian.eval.internal.Ranking;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.UnfinishedRunException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the results of a training or an evaluation from its folder. */
public final class FinishedRun {

    private static final long MAX_BYTES = 1L << 28;

    private FinishedRun() {}

    /**
     * The summary of the run in a folder, for a ranking.
     *
     * @throws IllegalArgumentException if the folder holds no scores, or broken ones
     */
    public static Ranking.RunSummary read(RunFolder folder, String name) throws IOException {
        requireScores(folder, name);
        try {
            ScoresFile file = ScoresFile.read(folder.scores());
            return new Ranking.RunSummary(
                    name,
                    file.protocol(),
                    file.scores().accuracy(),
                    file.scores().interval(),
                    recognised(folder, file));
        } catch (JsonProcessingException | IllegalArgumentException | TrainingException e) {
            String reason = e instanceof JsonProcessingException json ? Json.reason(json) : e.getMessage();
            throw new IllegalArgumentException(
                    "the scores of " + name + " cannot be used: " + reason
                            + "; train again, or measure its model with: gramian evaluate --out",
                    e);
        }
    }

    /**
     * The scores of the run in a directory.
     *
     * @throws UnfinishedRunException if a run was started there and is not finished
     * @throws TrainingException if there is no run, or if its scores are damaged
     */
    public static ScoresFile scores(RunFolder folder, String name) throws IOException {
        requireScores(folder, name);
        return ScoresFile.read(folder.scores());
    }

    private static void requireScores(RunFolder folder, String name) throws IOException {
        if (!Files.isRegularFile(folder.scores())) {
            if (folder.isStarted()) {
                throw new UnfinishedRunException(name);
            }
            throw new TrainingException(name + " is not a run: it has neither recipe.yaml nor scores.json;"
                    + " give the directory of: gramian train --out");
        }
        if (Files.size(folder.scores()) > MAX_BYTES) {
            throw new IllegalArgumentException(folder.scores() + " is too large for scores; is this the right file?");
        }
    }

    /** Of each image whether it was recognised; empty where the predictions are not at hand. */
    private static Map<String, Boolean> recognised(RunFolder folder, ScoresFile scores) throws IOException {
        Map<String, Boolean> recognised = new LinkedHashMap<>();
        if (Files.isRegularFile(folder.predictions())) {
            PredictionsFile.read(folder.predictions(), scores)
                    .forEach(prediction -> recognised.put(prediction.image(), prediction.correct()));
        }
        return recognised;
    }
}
