package io.github.gramian.onnx.quantisation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.model.ModelFile;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.onnx.OfficialChecker;
import io.github.gramian.onnx.SmallModel;
import io.github.gramian.onnx.export.LoadedModel;
import io.github.gramian.onnx.graph.Graph;
import io.github.gramian.onnx.graph.Initializer;
import io.github.gramian.onnx.graph.Node;
import io.github.gramian.onnx.graph.OnnxFile;
import io.github.gramian.onnx.graph.Value;
import io.github.gramian.onnx.parity.Parity;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.SampleImages;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuantiserTest {

    @TempDir
    Path folder;

    @Test
    void a_range_keeps_zero_exact() {
        Range range = Range.empty().with(-0.7f, 3.3f).with(0.1f, 2f);
        assertThat(range.scale()).isEqualTo(4f / 255);
        assertThat(range.zero()).isEqualTo(45);
        assertThat(Range.empty().with(2, 5)).isEqualTo(new Range(0, 5));
        assertThat(Range.empty().scale()).isEqualTo(1);
        assertThatThrownBy(() -> Range.empty().with(0, Float.NaN)).hasMessageContaining("cannot be rounded");
    }

    @Test
    void a_rounded_backbone_is_four_times_smaller_and_nearly_the_same() throws IOException {
        NetworkConfig network = new NetworkConfig(
                List.of(BranchConfig.kernel("res3b", 64, 10, 6), BranchConfig.average("res4a", 96)), 6);
        Path model = SmallModel.write(folder.resolve("model.gramian"), network);
        Path inFloat = folder.resolve("float.onnx");
        Path inInt8 = folder.resolve("int8.onnx");
        SampleImages images = SampleImages.madeUp(4, new Seed(5));
        try (ModelFile file = ModelFile.open(model);
                LoadedModel loaded = LoadedModel.of(file, Placement.cpu(Precision.FLOAT))) {
            Graph graph = loaded.graph(false);
            Calibration calibration =
                    new Calibration(graph, loaded.about(), loaded.description().preprocessing(), false);
            Map<Value, Range> ranges = calibration.ranges(images, folder);
            OfficialChecker.check(folder.resolve("probes.onnx"));
            Graph rounded = Quantiser.of(graph, ranges);
            OnnxFile.write(inFloat, graph, loaded.about());
            OnnxFile.write(inInt8, rounded, loaded.about());
            OfficialChecker.check(inInt8);
            assertThat((double) Files.size(inFloat) / Files.size(inInt8)).isGreaterThan(3.5);
            assertThat(rounded.initializers().stream().map(Initializer::value)).doesNotHaveDuplicates();
            assertThat(rounded.nodes().stream().filter(node -> node.operator().equals("Conv")))
                    .filteredOn(Activations::computes)
                    .isNotEmpty()
                    .allSatisfy(node -> assertThat(node.inputs())
                            .allMatch(input -> input.name().endsWith(".dequantised")));
            assertThat(rounded.nodes().stream().filter(Activations::computes).map(Node::output))
                    .containsExactlyElementsOf(graph.nodes().stream()
                            .filter(Activations::computes)
                            .map(Node::output)
                            .toList());
            ParityReport report = Parity.of(inInt8, false, file, loaded, images);
            assertThat(report.maxProbabilityDifference()).isBetween(1e-5, 0.1);
        }
    }

    @Test
    void a_loss_is_measured_in_points_and_a_gain_is_not_one() {
        QuantisationReport.Measured better = new QuantisationReport.Measured(10, 0.905, 1);
        QuantisationReport.Measured worse = new QuantisationReport.Measured(10, 0.895, 1);
        QuantisationReport loss = new QuantisationReport(200, 50, better, worse);
        assertThat(loss.loss()).isCloseTo(1, org.assertj.core.api.Assertions.within(1e-9));
        assertThat(loss.within(0.5)).isFalse();
        assertThat(loss.within(1.1)).isTrue();
        assertThat(new QuantisationReport(200, 50, worse, better).within(0)).isTrue();
    }

    @Test
    void labelled_images_are_the_models_classes() throws IOException {
        Path images = Files.createDirectories(folder.resolve("labelled"));
        for (int i = 0; i < 12; i++) {
            Path file = images.resolve((i < 6 ? "sand/" : "bark/") + i + ".png");
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[] {1});
        }
        LabelledImages all = LabelledImages.in(images, SmallModel.CLASSES);
        assertThat(all.labels()).containsExactly(0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2);
        assertThat(all.observed().files())
                .hasSize(3)
                .doesNotContainAnyElementsOf(all.judged().files());
        assertThat(all.judged().labels()).hasSize(9);
        Files.createDirectories(images.resolve("water"));
        assertThatThrownBy(() -> LabelledImages.in(images, SmallModel.CLASSES))
                .hasMessageContainingAll("water is not one of the model's classes", "bark");
        assertThatThrownBy(() -> LabelledImages.in(images.resolve("sand"), SmallModel.CLASSES))
                .hasMessageContaining("give at least 8");
    }
}
