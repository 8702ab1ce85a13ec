package io.github.gramian.onnx.quantisation.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.OfficialChecker;
import io.github.gramian.onnx.export.internal.LoadedModel;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Node;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.internal.Parity;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.runtime.Int8Target;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class QuantiserTest {

    @TempDir
    Path folder;

    @Test
    void a_range_keeps_zero_exact() {
        Quantiser.Range range = Quantiser.Range.empty().with(-0.7f, 3.3f).with(0.1f, 2f);
        assertThat(range.scale()).isEqualTo(4f / 255);
        assertThat(range.zero()).isEqualTo(45);
        assertThat(Quantiser.Range.empty().with(2, 5)).isEqualTo(new Quantiser.Range(0, 5));
        assertThat(Quantiser.Range.empty().scale()).isEqualTo(1);
        assertThatThrownBy(() -> Quantiser.Range.empty().with(0, Float.NaN)).hasMessageContaining("cannot be rounded");
    }

    @Test
    void a_rounded_backbone_is_four_times_smaller_and_nearly_the_same() throws IOException {
        NetworkConfig network = new NetworkConfig(
                List.of(BranchConfig.kernel("res3b", 64, 10, 6), BranchConfig.average("res4a", 96)), 6);
        // A wide network: in a narrow one the graph takes more bytes than the weights.
        Path model = SmallModels.write(
                folder.resolve("model.gramian"),
                network,
                new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 0));
        Path inFloat = folder.resolve("float.onnx");
        Path inInt8 = folder.resolve("int8.onnx");
        SampleImages images = SampleImages.drawn(4, new Seed(5));
        try (StoredModel file = StoredModel.open(model);
                LoadedModel loaded = LoadedModel.of(file, Placement.cpu(Precision.FLOAT))) {
            OnnxGraph graph = loaded.graph(false);
            Quantisation.Calibration calibration = new Quantisation.Calibration(
                    graph, loaded.about(), loaded.description().preprocessing(), false);
            Quantisation.Calibration.Observed observed = calibration.observe(withoutFirst(images), folder);
            assertThat(observed.images()).isEqualTo(3);
            OfficialChecker.check(folder.resolve("probes.onnx"));
            assertThatThrownBy(() -> calibration.observe(
                            SampleImages.ofFiles(List.of(folder.resolve("probes.onnx"))), folder.resolve("none")))
                    .hasMessageContaining("can be read");
            OnnxGraph rounded = Quantiser.of(graph, observed.ranges(), Int8Target.AVX2);
            OnnxFile.write(inFloat, graph, loaded.about());
            OnnxFile.write(inInt8, rounded, loaded.about());
            OfficialChecker.check(inInt8);
            assertThat((double) Files.size(inFloat) / Files.size(inInt8)).isGreaterThan(3.5);
            assertThat(rounded.initializers().stream().map(Initializer::value)).doesNotHaveDuplicates();
            assertThat(rounded.nodes().stream().filter(node -> node.operator().equals("Conv")))
                    .filteredOn(Quantiser.Activations::computes)
                    .isNotEmpty()
                    .allSatisfy(node -> assertThat(node.inputs())
                            .allMatch(input -> input.name().endsWith(".dequantised")));
            assertThat(rounded.nodes().stream()
                            .filter(Quantiser.Activations::computes)
                            .map(Node::output))
                    .containsExactlyElementsOf(graph.nodes().stream()
                            .filter(Quantiser.Activations::computes)
                            .map(Node::output)
                            .toList());
            ParityReport report = Parity.of(inInt8, false, file, loaded, images);
            assertThat(report.maxProbabilityDifference()).isBetween(1e-5, 0.1);
        }
    }

    /** The same images, of which the first cannot be read. */
    private static SampleImages withoutFirst(SampleImages images) {
        return new SampleImages() {
            @Override
            public int count() {
                return images.count();
            }

            @Override
            public Optional<List<List<RgbImage>>> views(int index, List<Preprocessing> scales) {
                return index == 0 ? Optional.empty() : images.views(index, scales);
            }

            @Override
            public Optional<RgbImage> photograph(int index, WholePhoto view) {
                return index == 0 ? Optional.empty() : images.photograph(index, view);
            }
        };
    }

    @Test
    void a_bias_is_retained_if_weights_are_nearly_zero() throws IOException {
        float[] bias = {0.25f, -3, 0.1f, 0};
        OnnxGraph rounded = Quantiser.of(
                convolution(List.of(), new float[] {1e-9f, 1e-12f, 0.5f, 0}, bias),
                Map.of(new Value("images"), new Quantiser.Range(0, 1)),
                Int8Target.VNNI);
        float[] scales = constant(rounded, "backbone/Conv.bias.scale").floats();
        int[] integers = integers(constant(rounded, "backbone/Conv.bias.quantised"));
        for (int o = 0; o < bias.length; o++) {
            assertThat(integers[o] * scales[o]).isCloseTo(bias[o], within(1e-2f));
            assertThat(Math.abs(integers[o])).isLessThan((1 << 30) + 1000);
        }
    }

    /** Runtimes join rounded convolutions and take the product of both scales for that of the bias. */
    @Test
    void a_bias_after_pooling_has_the_scale_of_what_was_pooled() throws IOException {
        Node pooling = new Node(
                "MaxPool",
                List.of(new Value("images")),
                new Value("backbone/MaxPool"),
                List.of(Attribute.of("kernel_shape", List.of(2L, 2L)), Attribute.of("strides", List.of(2L, 2L))));
        // The largest value lies in a last row, which an odd side leaves out of the pooling.
        OnnxGraph rounded = Quantiser.of(
                convolution(List.of(pooling), new float[] {0.5f}, new float[] {0.1f}),
                Map.of(new Value("images"), new Quantiser.Range(0, 4), pooling.output(), new Quantiser.Range(0, 2)),
                Int8Target.AVX2);
        float activation = constant(rounded, "backbone/MaxPool.scale").floats()[0];
        float weight = constant(rounded, "weight.scale").floats()[0];
        assertThat(activation).isEqualTo(4f / 255);
        assertThat(constant(rounded, "backbone/Conv.bias.scale").floats()).containsExactly(activation * weight);
    }

    /** Twice 255 times the largest weight must fit into 16 bits unless the processor adds in 32. */
    @ParameterizedTest
    @CsvSource({"AVX2, 64", "VNNI, 127", "AMX, 127"})
    void weights_take_the_bits_of_their_target(Int8Target target, int largest) throws IOException {
        float[] weight = {0.5f, -0.25f, 1e-3f, 0};
        OnnxGraph rounded = Quantiser.of(
                convolution(List.of(), weight, new float[] {0, 0, 0, 0}),
                Map.of(new Value("images"), new Quantiser.Range(0, 1)),
                target);
        assertThat(bytes(constant(rounded, "weight.quantised")))
                .containsExactly((byte) largest, (byte) -largest, (byte) largest, (byte) 0);
        float[] scales = constant(rounded, "weight.scale").floats();
        for (int o = 0; o < 3; o++) {
            assertThat(largest * scales[o]).isCloseTo(Math.abs(weight[o]), within(1e-7f));
        }
        assertThat(2 * 255 * largest <= Short.MAX_VALUE).isEqualTo(target == Int8Target.AVX2);
    }

    /** The fast kernels of runtimes take unsigned activations and signed weights. */
    @ParameterizedTest
    @EnumSource(Int8Target.class)
    void activations_are_unsigned_and_weights_signed(Int8Target target) throws IOException {
        OnnxGraph rounded = Quantiser.of(
                convolution(List.of(), new float[] {1}, new float[] {0}),
                Map.of(new Value("images"), new Quantiser.Range(-1, 1)),
                target);
        assertThat(constant(rounded, "images.zero").type()).isEqualTo(ElementType.UINT8);
        assertThat(constant(rounded, "weight.quantised").type()).isEqualTo(ElementType.INT8);
        assertThat(bytes(constant(rounded, "weight.zero"))).containsOnly((byte) 0);
    }

    /** Of 1×1, with an input channel, after other nodes. */
    private static OnnxGraph convolution(List<Node> before, float[] weight, float[] bias) {
        long outputs = bias.length;
        List<Node> nodes = new ArrayList<>(before);
        Value input = before.isEmpty() ? new Value("images") : before.get(0).output();
        nodes.add(new Node(
                "Conv", List.of(input, new Value("weight"), new Value("bias")), new Value("backbone/Conv"), List.of()));
        Dimension side = new Dimension.Fixed(5);
        Dimension batch = new Dimension.Named("batch");
        return new OnnxGraph(
                "convolution",
                nodes,
                List.of(
                        Initializer.of("weight", List.of(outputs, 1L, 1L, 1L), weight),
                        Initializer.of("bias", List.of(outputs), bias)),
                List.of(new Port("images", ElementType.FLOAT, List.of(batch, new Dimension.Fixed(1), side, side))),
                List.of());
    }

    private static Initializer constant(OnnxGraph graph, String name) {
        return graph.initializers().stream()
                .filter(one -> one.value().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static byte[] bytes(Initializer constant) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        constant.content().writeTo(Channels.newChannel(bytes));
        return bytes.toByteArray();
    }

    private static int[] integers(Initializer constant) throws IOException {
        IntBuffer all =
                ByteBuffer.wrap(bytes(constant)).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        int[] integers = new int[all.remaining()];
        all.get(integers);
        return integers;
    }

    @Test
    void a_loss_is_measured_in_points_and_a_gain_is_not_one() {
        QuantisationReport.Measured better = new QuantisationReport.Measured(10, 0.905, 1);
        QuantisationReport.Measured worse = new QuantisationReport.Measured(10, 0.895, 1);
        QuantisationReport loss = new QuantisationReport(Int8Target.AVX2, 200, 50, better, worse);
        assertThat(loss.loss()).isCloseTo(1, within(1e-9));
        assertThat(loss.within(0.5)).isFalse();
        assertThat(loss.within(1.1)).isTrue();
        assertThat(new QuantisationReport(Int8Target.AVX2, 200, 50, worse, better).within(0))
                .isTrue();
    }

    @Test
    void labelled_images_are_the_models_classes() throws IOException {
        Path images = Files.createDirectories(folder.resolve("labelled"));
        for (int i = 0; i < 12; i++) {
            Path file = images.resolve((i < 6 ? "sand/" : "bark/") + i + ".png");
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[] {1});
        }
        Quantisation.Images all = Quantisation.Images.in(images, SmallModels.CLASSES);
        assertThat(all.labels()).containsExactly(0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2);
        assertThat(all.observed().files())
                .hasSize(3)
                .doesNotContainAnyElementsOf(all.judged().files());
        assertThat(all.judged().labels()).hasSize(9);
        Files.createDirectories(images.resolve("water"));
        assertThatThrownBy(() -> Quantisation.Images.in(images, SmallModels.CLASSES))
                .hasMessageContainingAll("water is not one of the model's classes", "bark");
        assertThatThrownBy(() -> Quantisation.Images.in(images.resolve("sand"), SmallModels.CLASSES))
                .hasMessageContaining("give at least 8");
    }
}
