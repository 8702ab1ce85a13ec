package io.github.gramian.onnx;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.cli.DemoRun;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.dense.internal.PhotoReader.PhotoMap;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A model of good parts as an ONNX file: the same scores, classes, p-values and regions. */
class GoodPartsExportTest {

    private static final double ROUNDING = 1e-5;

    @TempDir
    static Path folder;

    private static Path model = Path.of("");
    private static Path exported = Path.of("");
    private static String printed = "";

    @BeforeAll
    static void export() throws IOException {
        model = SmallSurface.train(folder);
        exported = folder.resolve("part.onnx");
        printed = gramian("export", model, "--onnx", exported).succeeded().out();
    }

    @ParameterizedTest
    @CsvSource({"96, 64", "64, 96", "71, 93", "237, 130", "33, 40", "16, 16"})
    void scores_are_those_of_the_model(int width, int height) throws IOException {
        RgbImage photograph = Fixtures.picture(width, height, 77);
        try (BatchPredictor original = BatchPredictor.load(model);
                BatchPredictor onnx = BatchPredictor.load(exported)) {
            PhotoReader reader = onnx.photographs().orElseThrow();
            assertThat(reader.view())
                    .isEqualTo(original.photographs().orElseThrow().view());
            assertThat(onnx.findsDefects()).isTrue();
            PhotoMap expected = original.photographs().orElseThrow().read(photograph);
            PhotoMap found = reader.read(photograph);
            assertThat(found.grid()).isEqualTo(expected.grid());
            assertThat(found.regions()).isEqualTo(expected.regions());
            Calibration.Scores scores = found.scores().orElseThrow();
            Calibration.Scores precise = expected.scores().orElseThrow();
            assertThat(scores.width()).isEqualTo(precise.width());
            assertThat(scores.map()).hasSameSizeAs(precise.map());
            for (int cell = 0; cell < precise.map().length; cell++) {
                assertThat(scores.map()[cell] / precise.map()[cell]).isEqualTo(1f, within((float) ROUNDING));
            }
            assertThat(scores.photograph() / precise.photograph()).isEqualTo(1f, within((float) ROUNDING));
            assertThat(scores.pValue()).isEqualTo(precise.pValue());
            assertThat(scores.isDefect()).isEqualTo(precise.isDefect());
        }
    }

    @Test
    void predict_and_map_answer_alike() throws IOException {
        Path photographs = Files.createDirectories(folder.resolve("photographs"));
        SmallSurface.photograph(300, 200, 101, photographs.resolve("a.png"));
        SmallSurface.photograph(120, 180, 102, photographs.resolve("b.png"));
        String expected = gramian("predict", model, photographs, "--format", "jsonl")
                .succeeded()
                .out();
        assertThat(gramian("predict", exported, photographs, "--format", "jsonl")
                        .succeeded()
                        .out())
                .isEqualTo(expected);
        Path scores = folder.resolve("scores.png");
        JsonNode map = gramian(
                        "map", exported, photographs.resolve("a.png"), "--format", "jsonl", "--score-map", scores)
                .succeeded()
                .json();
        JsonNode original = gramian("map", model, photographs.resolve("a.png"), "--format", "jsonl")
                .succeeded()
                .json();
        assertThat(map.get("score").asDouble() / original.get("score").asDouble())
                .isEqualTo(1, within(ROUNDING));
        assertThat(map.get("regions")).isEqualTo(original.get("regions"));
        assertThat(scores).exists();
    }

    @Test
    void the_file_follows_the_rules_and_takes_photographs_of_any_size() throws OrtException {
        OfficialChecker.check(exported);
        assertThat(printed)
                .contains("compared on 8 images", "against the model in float   relative scores differ by at most");
        try (OrtSession session = OrtEnvironment.getEnvironment().createSession(exported.toString())) {
            assertThat(session.getInputInfo().values()).singleElement().satisfies(GoodPartsExportTest::requireImages);
            assertThat(session.getOutputNames()).containsExactly("scores");
            assertThat(session.getMetadata().getCustomMetadata())
                    .containsEntry("gramian.grid", "{\"first\":0.0,\"stride\":8}")
                    .containsEntry("classes", "[\"good\",\"defect\"]");
        }
    }

    private static void requireImages(NodeInfo input) {
        assertThat(input.getName()).isEqualTo("images");
        assertThat(((TensorInfo) input.getInfo()).getShape()).containsExactly(1, 3, -1, -1);
    }

    @Test
    void the_comparison_is_on_the_given_photographs() throws IOException {
        Path target = folder.resolve("again.onnx");
        JsonNode report = gramian("export", model, "--onnx", target, "--images", folder.resolve("good"), "--json")
                .succeeded()
                .json();
        assertThat(report.get("images").asInt()).isEqualTo(12);
        assertThat(report.get("maxScoreDifference").asDouble()).isBetween(1e-12, ROUNDING);
        assertThat(report.get("topAgreement").asDouble()).isEqualTo(1);
        CommandRun strict = gramian("export", model, "--onnx", folder.resolve("strict.onnx"), "--tolerance", 1e-12);
        assertThat(strict.exitCode()).isNotZero();
        assertThat(strict.err()).contains("was not written: a score differs from the model's by");
        assertThat(folder.resolve("strict.onnx")).doesNotExist();
    }

    @Test
    void options_without_a_sense_are_refused() {
        gramian("export", model, "--onnx", folder.resolve("x.onnx"), "--pixels")
                .refused(2, "takes normalised photographs of any size");
        gramian("export", model, "--onnx", folder.resolve("x.onnx"), "--int8", folder.resolve("good"))
                .refused(2, "is not exported in int8");
        assertThat(folder.resolve("x.onnx")).doesNotExist();
    }

    @Test
    void a_map_of_classes_is_left_out_with_a_note() throws IOException {
        DemoRun demo = new DemoRun(folder, folder.resolve("tiny.safetensors"));
        gramian("data", "demo", "--out", demo.photos(), "--images", 8).succeeded();
        demo.train(demo.photos(), demo.run(), "--map", "--set", "map.window=3").succeeded();
        Path target = folder.resolve("classes.onnx");
        assertThat(gramian("export", demo.run(), "--onnx", target).succeeded().err())
                .contains("note: the map of classes is not exported");
        gramian("predict", target, demo.photos(), "--quiet").succeeded();
        gramian("map", target, demo.photos()).refused(2, "those of classes are not exported");
    }
}
