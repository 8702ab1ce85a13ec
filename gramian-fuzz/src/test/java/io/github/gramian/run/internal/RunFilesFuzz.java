package io.github.gramian.run.internal;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.fuzz.FuzzTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Files of a run: lines of its history and of its predictions, and its scores. */
public final class RunFilesFuzz {

    private static final JsonMapper JSON = new JsonMapper();

    private RunFilesFuzz() {}

    public static List<FuzzTarget> targets() {
        return List.of(
                target(
                        "events",
                        "{\"event\":\"epoch\",\"stage\":1,\"epoch\":2,\"trainLoss\":0.5,\"best\":true,\"health\":{}}",
                        EventLog::parse),
                target(
                        "predictions",
                        "{\"id\":\"a\",\"truth\":1,\"predicted\":0,\"confidence\":0.9,\"probabilities\":[0.9,0.1]}",
                        bytes -> Objects.requireNonNull(PredictionsFile.parse(bytes))),
                target("scores", scores(), bytes -> ScoresFile.of(JSON.readTree(bytes))));
    }

    private static FuzzTarget target(String name, String seed, FuzzTarget.Reader reader) {
        return new FuzzTarget(
                name,
                () -> List.of(seed.getBytes(StandardCharsets.UTF_8)),
                reader,
                List.of(IOException.class, IllegalArgumentException.class));
    }

    private static String scores() {
        List<String> classes = List.of("cat", "dog");
        List<Prediction> predictions = List.of(
                Prediction.of("a", classes, new float[] {0.7f, 0.3f}).withTruth(0),
                Prediction.of("b", classes, new float[] {0.6f, 0.4f}).withTruth(1));
        EvaluationProtocol protocol = EvaluationProtocol.ofData("dtd", "ab12", "p", "1", Map.of("test", 2));
        Scores scores = Scores.of(predictions, classes, 7);
        return new ScoresFile(scores, "test", "/photos", JSON.createObjectNode(), 12, protocol, null)
                .toTree()
                .toString();
    }
}
