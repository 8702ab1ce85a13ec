package io.github.gramian.onnx;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.runtime.Int8Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExportCommandTest {

    private static final NetworkConfig NETWORK =
            new NetworkConfig(List.of(BranchConfig.kernel("res3b", 64, 10, 5), BranchConfig.average("res3a", 48)), 6);

    @TempDir
    static Path shared;

    private static Path model = Path.of("");

    @TempDir
    Path folder;

    private Path target = Path.of("");

    @BeforeAll
    static void write_a_model() throws IOException {
        model = SmallModels.write(shared.resolve("model.gramian"), NETWORK);
    }

    @BeforeEach
    void name_a_file() {
        target = folder.resolve("out/model.onnx");
    }

    private List<String> left() throws IOException {
        if (!Files.exists(folder.resolve("out"))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder.resolve("out"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void the_report_has_these_fields_and_no_others() throws IOException {
        CommandRun run =
                gramian("export", model, "--onnx", target, "--pixels", "--json").succeeded();
        List<String> fields = new ArrayList<>();
        run.json().fieldNames().forEachRemaining(fields::add);
        assertThat(fields)
                .containsExactly(
                        "maxProbabilityDifference",
                        "meanProbabilityDifference",
                        "topAgreement",
                        "images",
                        "bytes",
                        "opset");
        JsonNode report = run.json();
        assertThat(report.get("maxProbabilityDifference").asDouble()).isBetween(1e-12, 1e-5);
        assertThat(report.get("meanProbabilityDifference").asDouble())
                .isBetween(1e-12, report.get("maxProbabilityDifference").asDouble());
        assertThat(report.get("topAgreement").asDouble()).isEqualTo(1);
        assertThat(report.get("images").asInt()).isEqualTo(8);
        assertThat(report.get("bytes").asLong()).isEqualTo(Files.size(target));
        assertThat(report.get("opset").asInt()).isEqualTo(17);
        assertThat(left()).containsExactly("model.onnx");
        OfficialChecker.check(target);
    }

    @Test
    void what_a_killed_export_left_is_cleared() throws IOException {
        Path killed = Files.createDirectories(folder.resolve("out/.model.onnx.tmp/int8"));
        Files.writeString(killed.resolve("probes.onnx"), "half of it");
        gramian("export", model, "--onnx", target).succeeded();
        assertThat(left()).containsExactly("model.onnx");
    }

    @Test
    void the_file_contains_its_metadata() throws IOException, OrtException {
        gramian("export", model, "--onnx", target).succeeded();
        try (OrtSession session = OrtEnvironment.getEnvironment().createSession(target.toString());
                StoredModel file = StoredModel.open(model)) {
            assertThat(session.getInputNames()).containsExactly("images", "images_1");
            assertThat(session.getInputInfo().values())
                    .extracting(info -> ((TensorInfo) info.getInfo()).getShape())
                    .containsExactly(new long[] {-1, 3, 48, 48}, new long[] {-1, 3, 64, 64});
            assertThat(session.getOutputNames()).containsExactly("probabilities", "logits", "descriptor");
            Map<String, String> metadata = session.getMetadata().getCustomMetadata();
            assertThat(metadata)
                    .containsOnlyKeys(
                            "gramian.model",
                            "gramian.weights.sha256",
                            "gramian.version",
                            "classes",
                            "gramian.crc32c",
                            "gramian.reference")
                    .containsEntry("gramian.weights.sha256", file.weightsHash());
            ObjectMapper json = new ObjectMapper();
            assertThat(json.readTree(metadata.get("classes"))).isEqualTo(json.valueToTree(SmallModels.CLASSES));
            assertThat(json.readTree(metadata.get("gramian.model"))).isEqualTo(json.valueToTree(file.metadata()));
            assertThat(session.getMetadata().getProducerName()).isEqualTo("gramian");
        }
    }

    @Test
    void weights_in_a_separate_file_and_own_images() throws IOException {
        gramian("data", "demo", "--out", folder.resolve("photos"), "--images", 2)
                .succeeded();
        Files.writeString(folder.resolve("photos/stripes/broken.png"), "not an image");
        Files.createDirectories(folder.resolve("out"));
        Files.writeString(target, "an older export");
        CommandRun run = gramian(
                        "export", model, "--onnx", target, "--external-data", "--images", folder.resolve("photos"))
                .succeeded();
        assertThat(run.out()).contains("compared on 6 images; 1 file without an image", "model in double");
        assertThat(left()).containsExactly("model.onnx", "model.onnx.data");
        assertThat(Files.size(target)).isLessThan(200_000);
        assertThat(Files.size(OnnxFile.dataOf(target))).isGreaterThan(50_000);
        OfficialChecker.check(target);
    }

    @Test
    void a_file_that_differs_is_not_written_and_the_older_one_remains() throws IOException {
        Files.createDirectories(folder.resolve("out"));
        Files.writeString(target, "an older export");
        CommandRun run = gramian("export", model, "--onnx", target, "--tolerance", "1e-12");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("gramian: " + target + " was not written", "the tolerance of 1.0e-12");
        assertThat(run.out()).contains("model in float");
        assertThat(left()).containsExactly("model.onnx");
        assertThat(target).content().isEqualTo("an older export");
    }

    /** Twelve images in directories named like the model's classes. */
    private Path labelled() throws IOException {
        Path photos = folder.resolve("photos");
        gramian("data", "demo", "--out", photos, "--images", 4).succeeded();
        for (int i = 0; i < 3; i++) {
            Path from = photos.resolve(List.of("stripes", "dots", "waves").get(i));
            Files.move(from, photos.resolve(SmallModels.CLASSES.get(i)));
        }
        return photos;
    }

    @ParameterizedTest
    @EnumSource(Int8Target.class)
    void the_file_records_the_processor_that_it_is_written_for(Int8Target processor) throws IOException, OrtException {
        Path photos = labelled();
        CommandRun run = gramian(
                        "export",
                        model,
                        "--onnx",
                        target,
                        "--int8",
                        photos,
                        "--most-loss",
                        "100",
                        "--target",
                        processor.key())
                .succeeded();
        assertThat(run.out()).contains("int8 for " + processor.key() + ": activations of");
        try (OrtSession session = OrtEnvironment.getEnvironment().createSession(target.toString())) {
            assertThat(session.getMetadata().getCustomMetadata()).containsEntry("gramian.int8.target", processor.key());
        }
    }

    @Test
    void a_processor_that_does_not_apply_is_refused() throws IOException {
        gramian("export", model, "--onnx", target, "--target", "vnni").refused(2, "--target needs --int8 IMAGES");
        CommandRun unknown = gramian("export", model, "--onnx", target, "--int8", folder, "--target", "arm");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("--target", "arm");
        assertThat(left()).isEmpty();
    }

    @Test
    void eight_bits_are_used_if_they_cost_little_accuracy() throws IOException {
        Path photos = labelled();
        gramian("export", model, "--onnx", target).succeeded();
        long inFloat = Files.size(target);
        CommandRun exported = gramian(
                        "export", model, "--onnx", target, "--int8", photos, "--most-loss", "100", "--json")
                .succeeded();
        JsonNode report = exported.json().get("int8");
        assertThat(exported.json().get("bytes").asLong()).isEqualTo(inFloat);
        assertThat(report.get("inInt8").get("bytes").asLong())
                .isEqualTo(Files.size(target))
                .isLessThan(inFloat);
        assertThat(report.get("images").asInt() + report.get("observed").asInt())
                .isEqualTo(12);
        assertThat(report.get("inFloat").get("imagesPerSecond").asDouble()).isPositive();
        double loss = 100
                * (report.get("inFloat").get("accuracy").asDouble()
                        - report.get("inInt8").get("accuracy").asDouble());
        assertThat(report.get("loss").asDouble()).isEqualTo(loss);
        OfficialChecker.check(target);
        assertThat(left()).containsExactly("model.onnx");
        Path sameName = folder.resolve("out/int8.onnx");
        gramian("export", model, "--onnx", sameName, "--int8", photos, "--most-loss", "100")
                .succeeded();
        assertThat(sameName).hasSameBinaryContentAs(target);
        Files.delete(sameName);
        assertThat(report.get("target").asText())
                .isEqualTo(Int8Target.ofThisMachine().key());
        gramian("export", model, "--onnx", target, "--int8", folder.resolve("out"))
                .refused(2, "holds 0 labelled images");
        gramian("export", model, "--onnx", target, "--int8", photos, "--most-loss", "-1")
                .refused(2, "the loss of accuracy must lie in 0..100");
    }

    @Test
    void what_cannot_be_exported_or_read_is_one_line() throws IOException {
        BranchConfig logarithm = new BranchConfig(
                "res3b",
                64,
                8,
                true,
                BranchConfig.kernel("res3b", 64, 8, 4).aggregator(),
                new DescriptorConfig(1e-4, -1, 0, Fidelity.EXACT));
        Path other = SmallModels.write(folder.resolve("log.gramian"), new NetworkConfig(List.of(logarithm), 5));
        gramian("export", other, "--onnx", target).refused(2, "branch 1", "logarithm", "logarithmFloor to 0");
        Path unseen = SmallModels.write(
                folder.resolve("unseen.gramian"),
                SmallModels.network(new AggregatorConfig.Average()),
                new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0),
                false);
        gramian("export", unseen, "--onnx", target).refused(2, "branch1.centring.mean", "train the model first");
        gramian("export", folder.resolve("none"), "--onnx", target).refused(2, "none");
        gramian("export", model, "--onnx", target, "--tolerance", "0").refused(2, "the tolerance must lie in (0, 1]");
        gramian("export", model, "--onnx", folder).refused(2, "is a directory; name the file");
        gramian("export", model, "--onnx", target, "--images", Files.createDirectories(folder.resolve("empty")))
                .refused(2, "contains no images");
        assertThat(left()).isEmpty();
    }
}
