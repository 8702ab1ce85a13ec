package io.github.gramian.run.internal;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Scores;
import io.github.gramian.eval.internal.Ranking;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.UnfinishedRunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code scores.json}: the scores first, then facts about the run.
 *
 * @param scores of the predictions
 * @param split which images of the dataset: {@code test}, {@code val}, {@code train} or {@code all}
 * @param root the folder that the names of the images start from
 * @param facts about the run, in the order of the file; those of a training and of an evaluation differ
 * @param descriptorLength dimensions of a descriptor of the model
 * @param protocol evaluation protocol
 * @param predictionsSum checksum of the predictions that the scores were computed from; null where none were written
 */
public record ScoresFile(
        Scores scores,
        String split,
        String root,
        ObjectNode facts,
        int descriptorLength,
        EvaluationProtocol protocol,
        @Nullable String predictionsSum) {

    private static final String SUM = "predictionsCrc32c";
    private static final long MAX_BYTES = 1L << 28;

    /** Members with their own component, and the checksum of the whole file. */
    private static final List<String> OWN = List.of("split", "root", "descriptorLength", "passport", SUM, "crc32c");

    private static final JsonMapper JSON = Json.codec()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .addMixIn(Scores.class, ScoresFields.class)
            .build();

    /** The order of the scores in files; the mean class accuracy is written for readers and computed when read. */
    @JsonPropertyOrder({
        "accuracy",
        "images",
        "interval",
        "top5",
        "macroPrecision",
        "macroRecall",
        "macroF1",
        "meanClassAccuracy",
        "calibration",
        "perClass",
        "confusion"
    })
    private interface ScoresFields {
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        double meanClassAccuracy();
    }

    /** The file of an evaluation, whose predictions are not written yet. */
    static ScoresFile of(ModelEvaluation evaluation, Map<String, ? extends @Nullable Object> facts) {
        return new ScoresFile(
                evaluation.scores(),
                evaluation.part(),
                evaluation.root().toAbsolutePath().normalize().toString(),
                JSON.valueToTree(facts),
                evaluation.descriptorLength(),
                evaluation.protocol(),
                null);
    }

    /** The same with the checksum of the predictions. */
    ScoresFile withPredictions(String sum) {
        return new ScoresFile(scores, split, root, facts, descriptorLength, protocol, sum);
    }

    public static ScoresFile of(JsonNode tree) throws JsonProcessingException {
        for (String member : List.of("accuracy", "passport")) {
            if (!tree.hasNonNull(member)) {
                throw new IllegalArgumentException("it has no " + member);
            }
        }
        Scores scores = JSON.treeToValue(tree, Scores.class);
        ObjectNode facts = tree.deepCopy();
        facts.remove(OWN);
        JSON.valueToTree(scores).properties().forEach(scored -> facts.remove(scored.getKey()));
        return new ScoresFile(
                scores,
                tree.path("split").asText(""),
                tree.path("root").asText(""),
                facts,
                tree.path("descriptorLength").asInt(),
                JSON.treeToValue(tree.path("passport"), EvaluationProtocol.class),
                tree.path(SUM).isTextual() ? tree.path(SUM).asText() : null);
    }

    /**
     * Reads a file and compares its checksum.
     *
     * @throws TrainingException if it is damaged
     */
    public static ScoresFile read(Path file) throws IOException {
        return of(SealedJson.read(file));
    }

    /**
     * The summary of the run in a folder, for a ranking.
     *
     * @throws IllegalArgumentException if the folder holds no scores, or broken ones
     */
    public static Ranking.RunSummary summary(RunFolder folder, String name) throws IOException {
        requireScores(folder, name);
        try {
            ScoresFile file = read(folder.scores());
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
    public static ScoresFile ofRun(RunFolder folder, String name) throws IOException {
        requireScores(folder, name);
        return read(folder.scores());
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

    /** The string of a file, with its checksum. */
    String text() {
        return SealedJson.seal(toTree().toString()) + "\n";
    }

    /** Everything as JSON, {@code accuracy} first. */
    public ObjectNode toTree() {
        ObjectNode tree = scoresTree();
        tree.put("split", split);
        tree.put("root", root);
        tree.setAll(facts);
        tree.put("descriptorLength", descriptorLength);
        tree.set("passport", JSON.valueToTree(protocol));
        if (predictionsSum != null) {
            tree.put(SUM, predictionsSum);
        }
        return tree;
    }

    public ObjectNode scoresTree() {
        return JSON.valueToTree(scores);
    }

    /** The accuracy on validation images, which has chosen settings; null where there were none. */
    public @Nullable Double validationAccuracy() {
        JsonNode accuracy = facts.path("validation").path("accuracy");
        return accuracy.isNumber() ? (Double) accuracy.asDouble() : null;
    }

    /** Number of values that training could change, in the head and in the backbone. */
    public long trainable() {
        JsonNode trainable = facts.path("trainable");
        return trainable.path("head").asLong() + trainable.path("backbone").asLong();
    }

    /** How long the parts took. */
    public Map<String, Double> seconds() {
        Map<String, Double> seconds = new LinkedHashMap<>();
        facts.path("seconds").properties().forEach(part -> {
            if (part.getValue().isNumber()) {
                seconds.put(part.getKey(), part.getValue().asDouble());
            }
        });
        return seconds;
    }

    /** How the fine-tuned model compares with the frozen one; empty if they were not compared. */
    public String fineTuning() {
        return facts.path("fineTuning").path("sentence").asText("");
    }

    /** A sentence about the final retraining; empty if there was none. */
    public String lastTraining() {
        return facts.path("final").path("sentence").asText("");
    }

    /** A sentence about the weights of classes; empty if all images count the same. */
    public String classWeights() {
        return facts.path("classWeights").asText("");
    }

    /** A sentence about the classifier in closed form; empty if there is none. */
    public String classifier() {
        return facts.path("classifier").asText("");
    }
}
