package io.github.gramian.run.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a run: what is written does not change with the code that writes it, and is read back as it was. */
class ScoresFileTest {

    private static final List<String> CLASSES = List.of("cat", "dog");
    private static final List<Prediction> PREDICTIONS = List.of(
            Prediction.of("a/1.jpg", CLASSES, new float[] {0.7f, 0.3f}).withTruth(0),
            Prediction.of("b/2.jpg", CLASSES, new float[] {0.6f, 0.4f}).withTruth(1));

    @TempDir
    Path path;

    private static ModelEvaluation evaluation() {
        EvaluationProtocol protocol = EvaluationProtocol.ofData("dtd", "ab12", "p", "1", Map.of("test", 2))
                .withSeed(7);
        return new ModelEvaluation(
                "test", Path.of("/photos"), PREDICTIONS, Scores.of(PREDICTIONS, CLASSES, 7), protocol, 12);
    }

    private static Map<String, @Nullable Object> facts() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("validation", null);
        facts.put("trainable", new TreeMap<>(Map.of("head", 3, "backbone", 0)));
        facts.put("seconds", Map.of("total", 1.5));
        return facts;
    }

    @Test
    void the_bytes_of_scores_and_predictions_do_not_change() throws IOException {
        RunFolder folder = new RunFolder(path);
        evaluation().write(folder, facts());
        assertThat(Files.readString(folder.predictions())).isEqualTo("""
                {"id":"a/1.jpg","truth":0,"predicted":0,"confidence":0.699999988079071,"probabilities":[0.7,0.3]}
                {"id":"b/2.jpg","truth":1,"predicted":0,"confidence":0.6000000238418579,"probabilities":[0.6,0.4]}
                """);
        String scores = Files.readString(folder.scores());
        assertThat(scores)
                .startsWith("{\"accuracy\":0.5,\"images\":2,\"interval\":{\"lower\":0.0,\"upper\":1.0,\"level\":0.95,"
                        + "\"method\":\"BOOTSTRAP\"},\"top5\":null,\"macroPrecision\":0.25,\"macroRecall\":0.5,"
                        + "\"macroF1\":0.3333333333333333,\"meanClassAccuracy\":0.5,\"calibration\":{\"expectedError\":"
                        + "0.45000001788139343,\"negativeLogLikelihood\":0.6364828389708126,\"brier\":0.4500000178813939,"
                        + "\"bins\":[{\"lower\":0.0,\"upper\":0.06666666666666667,\"count\":0,\"meanConfidence\":0.0,"
                        + "\"accuracy\":0.0},")
                .endsWith("\"confusion\":{\"classes\":[\"cat\",\"dog\"],\"counts\":[[1,0],[1,0]]},\"split\":\"test\","
                        + "\"root\":\"/photos\",\"validation\":null,\"trainable\":{\"backbone\":0,\"head\":3},"
                        + "\"seconds\":{\"total\":1.5},\"descriptorLength\":12,\"passport\":{\"dataset\":\"dtd\","
                        + "\"contentHash\":\"ab12\",\"protocol\":\"p\",\"split\":\"1\",\"counts\":{\"test\":2},"
                        + "\"resolution\":null,\"crops\":null,\"backbone\":null,\"weightsHash\":null,\"seed\":7,"
                        + "\"hardware\":null},\"predictionsCrc32c\":\"1f8118cd\",\"crc32c\":\"dbdbed7a\"}\n");
    }

    @Test
    void what_was_written_is_read_back() throws IOException {
        RunFolder folder = new RunFolder(path);
        evaluation().write(folder, facts());
        ScoresFile file = ScoresFile.read(folder.scores());
        assertThat(file).isEqualTo(evaluation().file(facts()).withPredictions("1f8118cd"));
        assertThat(file.toTree())
                .hasToString(SealedJson.read(folder.scores())
                        .without(List.of("crc32c"))
                        .toString());
        assertThat(file.validationAccuracy()).isNull();
        assertThat(file.trainable()).isEqualTo(3);
        assertThat(file.seconds()).containsExactly(Map.entry("total", 1.5));
        assertThat(file.classifier()).isEmpty();
        assertThat(PredictionsFile.read(folder.predictions(), file)).isEqualTo(PREDICTIONS);
        Files.writeString(folder.predictions(), "{}\n");
        assertThatThrownBy(() -> PredictionsFile.read(folder.predictions(), file))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("predictions.jsonl is damaged");
    }

    @Test
    void scores_of_the_wrong_kind_are_refused() throws IOException {
        for (String member : List.of("interval", "calibration", "confusion", "perClass", "macroF1")) {
            ObjectNode tree = evaluation().file(facts()).toTree();
            tree.putNull(member);
            assertThatThrownBy(() -> ScoresFile.of(tree)).isInstanceOf(JsonProcessingException.class);
            tree.remove(member);
            assertThatThrownBy(() -> ScoresFile.of(tree)).isInstanceOf(JsonProcessingException.class);
        }
        assertThatThrownBy(() -> ScoresFile.of(new JsonMapper().readTree("[1]")))
                .hasMessageContaining("it has no accuracy");
        for (String line : List.of("{\"id\":\"x\"}", "[]", "7", "{\"truth\":0,\"predicted\":-1,\"id\":\"x\"}")) {
            assertThatThrownBy(() -> PredictionsFile.parse(line.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void an_event_is_read_as_it_was_written() throws IOException {
        Path file = path.resolve("events.jsonl");
        Health health =
                new Health(0.25, null, null, null, null, null, null, null, null, Map.of("w", 0.5), List.of("too fast"));
        List<TrainingEvent> stored = List.of(
                new TrainingEvent.Epoch(1, true, 2, 30, 0.1, 0.5, 0.75, null, null, 9.5, 2.5, true, health),
                new TrainingEvent.Ridge(
                        1, 0.1, 0.5, 3, List.of(new TrainingEvent.Ridge.Trial(0.1, 0.5, 0.25)), null, true),
                new TrainingEvent.FineTuning(0.73, 0.724, 1797, false));
        EventLog log = EventLog.open(file, 0);
        stored.forEach(log::onEvent);
        log.onEvent(new TrainingEvent.Note("not stored"));
        assertThat(log.lines()).isEqualTo(3);
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(1))
                .isEqualTo(SealedJson.seal("{\"event\":\"ridge\",\"stage\":1,\"lambda\":0.1,\"heldOutAccuracy\":0.5,"
                        + "\"temperature\":3.0,\"table\":[{\"lambda\":0.1,\"accuracy\":0.5,\"logLoss\":0.25}],"
                        + "\"validationAccuracy\":null,\"kept\":true}"));
        assertThat(lines.get(0))
                .startsWith(
                        "{\"event\":\"epoch\",\"stage\":1,\"all\":true,\"epoch\":2,\"step\":30,\"rate\":0.1,\"trainLoss\":0.5,"
                                + "\"trainAccuracy\":0.75,\"validationLoss\":null,");
        assertThat(lines.get(2))
                .isEqualTo(SealedJson.seal(
                        "{\"event\":\"fine-tuning\",\"frozen\":0.73,\"tuned\":0.724,\"images\":1797,\"kept\":false}"));
        assertThatThrownBy(() ->
                        EventLog.parse(lines.get(2).replace("0.724", "0.725").getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining("events.jsonl is damaged");
        for (int i = 0; i < 3; i++) {
            assertThat(EventLog.parse(lines.get(i).getBytes(StandardCharsets.UTF_8)))
                    .contains(stored.get(i));
        }
        assertThat(EventLog.parse("{\"event\":\"started\"}".getBytes(StandardCharsets.UTF_8)))
                .isEmpty();
        assertThat(EventLog.parse("{\"event\":\"epoch\",\"epoch\":3}".getBytes(StandardCharsets.UTF_8)))
                .get()
                .extracting(event -> ((TrainingEvent.Epoch) event).health().warnings())
                .isEqualTo(List.of());
        assertThatThrownBy(() -> EventLog.parse("[]".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }
}
