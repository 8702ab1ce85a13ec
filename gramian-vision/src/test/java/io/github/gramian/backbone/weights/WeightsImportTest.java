package io.github.gramian.backbone.weights;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.Blueprint.Vgg;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.weights.internal.ForeignName;
import io.github.gramian.backbone.weights.internal.ForeignName.Layout;
import io.github.gramian.backbone.weights.internal.SourceHash;
import io.github.gramian.backbone.weights.internal.WeightsDescription;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeightsImportTest {

    private static final BackboneConfig RESNET18 = new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 5);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();
    private Path source = Path.of("");
    private Path out = Path.of("");

    @BeforeEach
    void name_files() {
        source = folder.resolve("source.safetensors");
        out = folder.resolve("out/weights.safetensors");
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void imported_weights_are_the_same_network() throws IOException {
        Map<String, Tensor> weights = random(RESNET18);
        weights.put("bn1.num_batches_tracked", torch.ones(new long[0]).to(ScalarType.Long));
        SafetensorsWriter.write(source, weights, Map.of());
        WeightsImport.Report report = run(Architecture.RESNET18, null, "CC0");
        assertThat(report.config()).isEqualTo(RESNET18);
        assertThat(report.ignored()).containsExactly("bn1.num_batches_tracked");
        assertThat(report.sourceFormat()).isEqualTo("safetensors");
        assertThat(report.tensors()).isEqualTo(weights.size() - 1);
        Tensor images = new Seed(1).normal(FLOAT, 1, 3, 64, 64);
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT);
        try (ConvolutionalBackbone ours = WeightsFile.load(out, options);
                ConvolutionalBackbone theirs = ConvolutionalBackbone.of(
                        RESNET18, name -> requireNonNull(weights.get(name)), "test", options)) {
            assertThat(ours.features(images, "logits").equal(theirs.features(images, "logits")))
                    .isTrue();
            assertThat(ours.weightsHash()).isEqualTo(SourceHash.of(out));
        }
        WeightsDescription description = WeightsDescription.of(out);
        assertThat(description.network()).isEqualTo("resnet18-torchvision");
        assertThat(description.valueCount()).isEqualTo(Plan.of(RESNET18).valueCount());
        assertThat(description.taps()).isEqualTo(Plan.of(RESNET18).taps());
        assertThat(description.metadata())
                .containsEntry("source", "source.safetensors")
                .containsEntry("source.sha256", SourceHash.of(source))
                .containsEntry("licence", "CC0")
                .containsEntry("classes", "5")
                .containsEntry("preprocessing", "torchvision");
        assertThat(WeightsDescription.of(source).network()).isEmpty();
        assertThatThrownBy(() -> WeightsImport.run(
                        new WeightsImport.Request(out, Architecture.RESNET18, null, null), folder.resolve("again")))
                .hasMessageContaining("already");
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY})
    void weights_that_are_not_finite_are_refused_by_name(float number) throws IOException {
        Map<String, Tensor> weights = random(RESNET18);
        requireNonNull(weights.get("layer3.0.conv1.weight"))
                .flatten()
                .narrow(0, 17, 1)
                .fill_(new Scalar(number));
        SafetensorsWriter.write(source, weights, Map.of());
        assertThatThrownBy(() -> run(Architecture.RESNET18, null, null))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("layer3.0.conv1.weight")
                .hasMessageContaining("not finite");
        assertThat(out).doesNotExist();
    }

    @Test
    void weights_of_another_network_are_refused_name_by_name() throws IOException {
        Map<String, Tensor> weights = random(RESNET18);
        weights.remove("layer4.1.conv2.weight");
        weights.put("extra.weight", torch.ones(1));
        weights.put("bn1.bias", torch.ones(63));
        SafetensorsWriter.write(source, weights, Map.of());
        assertThatThrownBy(() -> run(Architecture.RESNET18, null, null))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("1 missing (layer4.1.conv2.weight)")
                .hasMessageContaining("1 unexpected (extra.weight)")
                .hasMessageContaining("bn1.bias [63] instead of [64]");
        assertThatThrownBy(() -> run(Architecture.VGG16, null, null)).hasMessageContaining("features.0.weight");
        assertThatThrownBy(() -> run(Architecture.RESNET18, Variant.KERAS, null))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("does not exist in the variant keras");
        assertThat(out).doesNotExist();
    }

    @Test
    void weights_must_be_fractions() throws IOException {
        Map<String, Tensor> weights = random(RESNET18);
        weights.put("fc.bias", torch.ones(5).to(ScalarType.Long));
        SafetensorsWriter.write(source, weights, Map.of());
        assertThatThrownBy(() -> run(Architecture.RESNET18, null, null)).hasMessageContaining("floating-point");
    }

    @Test
    void a_weights_file_that_was_tampered_with_is_refused() throws IOException {
        SafetensorsWriter.write(source, random(RESNET18), Map.of());
        assertThatThrownBy(() -> WeightsFile.open(source)).hasMessageContaining("gramian weights import");
        Map<String, String> metadata = WeightsFile.metadata(RESNET18, Map.of());
        metadata.put("classes", "6");
        SafetensorsWriter.write(out, random(RESNET18), metadata);
        assertThatThrownBy(() -> WeightsFile.open(out)).hasMessageContaining("of wrong shape");
        metadata.put("architecture", "alexnet");
        SafetensorsWriter.write(out, random(RESNET18), metadata);
        assertThatThrownBy(() -> WeightsFile.open(out)).hasMessageContaining("no architecture 'alexnet'");
        metadata.put("format", "gramian-weights/2");
        SafetensorsWriter.write(out, random(RESNET18), metadata);
        assertThatThrownBy(() -> WeightsFile.open(out)).hasMessageContaining("this version");
    }

    @Test
    void half_precision_weights_stay_half_precision() throws IOException {
        Map<String, Tensor> weights = random(RESNET18);
        weights.replaceAll((name, tensor) -> tensor.to(ScalarType.Half));
        SafetensorsWriter.write(source, weights, Map.of());
        run(Architecture.RESNET18, null, null);
        try (SafetensorsFile file = SafetensorsFile.open(out);
                ConvolutionalBackbone backbone = WeightsFile.load(out, BackboneOptions.frozen(Precision.FLOAT))) {
            assertThat(file.tensor("conv1.weight").equal(weights.get("conv1.weight")))
                    .isTrue();
            assertThat(backbone.config()).isEqualTo(RESNET18);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VGG16, features.28.weight, features.28.weight, SAME",
        "VGG16, pre_logits.fc1.weight, classifier.0.weight, CONVOLUTIONAL_MATRIX",
        "VGG16, pre_logits.fc2.bias, classifier.3.bias, SAME",
        "VGG16, head.fc.weight, classifier.6.weight, SAME",
        "RESNET50, layer1.0.conv1.weight, layer1.0.conv1.weight, SAME",
    })
    void pytorch_names_are_torchvisions_or_timms(
            Architecture architecture, String foreign, String ours, Layout layout) {
        assertThat(ForeignName.torch(architecture, foreign)).isEqualTo(new ForeignName(ours, layout));
    }

    @ParameterizedTest
    @CsvSource({
        "VGG16, block5_conv3/kernel, features.28.weight, HWIO_KERNEL",
        "VGG19, block5_conv4/bias, features.34.bias, SAME",
        "VGG16, fc1/kernel, classifier.0.weight, FLATTENED_CHANNELS_LAST",
        "VGG16, predictions/kernel, classifier.6.weight, TRANSPOSED",
        "RESNET50, conv1/kernel, conv1.weight, HWIO_KERNEL",
        "RESNET50, bn_conv1/moving_variance, bn1.running_var, SAME",
        "RESNET50, res4f_branch2c/kernel, layer3.5.conv3.weight, HWIO_KERNEL",
        "RESNET50, bn5a_branch1/gamma, layer4.0.downsample.1.weight, SAME",
        "RESNET50, res5a_branch1/bias, layer4.0.downsample.0.bias, SAME",
        "RESNET101, conv4_block23_3_conv/kernel, layer3.22.conv3.weight, HWIO_KERNEL",
        "RESNET101, conv2_block1_0_bn/beta, layer1.0.downsample.1.bias, SAME",
        "RESNET50, fc1000/kernel, fc.weight, TRANSPOSED",
    })
    void keras_names_are_known(Architecture architecture, String foreign, String ours, Layout layout) {
        assertThat(ForeignName.keras(architecture, foreign)).contains(new ForeignName(ours, layout));
    }

    @ParameterizedTest
    @CsvSource({"VGG16, block5_conv4/kernel", "RESNET50, conv2d_5/kernel", "RESNET50, conv1/alpha", "VGG16, conv1"})
    void other_names_are_unknown(Architecture architecture, String foreign) {
        assertThat(ForeignName.keras(architecture, foreign)).isEmpty();
    }

    @Test
    void layouts_move_values_to_their_places() {
        Tensor kernel = new Seed(1).normal(FLOAT, 3, 2, 4, 5);
        Tensor turned = Layout.HWIO_KERNEL.apply(kernel);
        assertThat(Layout.HWIO_KERNEL.shape(List.of(3L, 2L, 4L, 5L))).containsExactly(5L, 4L, 3L, 2L);
        assertThat(at(turned, 4, 3, 2, 1)).isEqualTo(at(kernel, 2, 1, 3, 4));
        Tensor matrix = new Seed(2).normal(FLOAT, 49 * 2, 6);
        Tensor flattened = Layout.FLATTENED_CHANNELS_LAST.apply(matrix);
        assertThat(Layout.FLATTENED_CHANNELS_LAST.shape(List.of(98L, 6L))).containsExactly(6L, 98L);
        // Row 3, column 5, channel 1 of Keras' map; channels run fastest there and slowest here.
        assertThat(at(flattened, 4, 1 * 49 + 3 * 7 + 5)).isEqualTo(at(matrix, (3 * 7 + 5) * 2 + 1, 4));
        Tensor timm = new Seed(3).normal(FLOAT, 6, 2, 7, 7);
        assertThat(Layout.CONVOLUTIONAL_MATRIX.shape(List.of(6L, 2L, 7L, 7L))).containsExactly(6L, 98L);
        assertThat(at(Layout.CONVOLUTIONAL_MATRIX.apply(timm), 4, 1 * 49 + 3 * 7 + 5))
                .isEqualTo(at(timm, 4, 1, 3, 5));
        assertThat(at(Layout.TRANSPOSED.apply(matrix), 4, 3)).isEqualTo(at(matrix, 3, 4));
        assertThat(Layout.CHANNEL_SCALE.shape(List.of(7L))).containsExactly(7L, 1L, 1L);
        Tensor grid = new Seed(4).normal(FLOAT, 1, 9, 2);
        Tensor positions = Layout.POSITIONS.apply(grid);
        assertThat(Layout.POSITIONS.shape(List.of(1L, 9L, 2L))).containsExactly(1L, 10L, 2L);
        assertThat(Layout.POSITIONS.shape(List.of(1L, 10L, 2L))).containsExactly(1L, 10L, 2L);
        assertThat(at(positions, 0, 0, 1)).isZero();
        assertThat(at(positions, 0, 9, 1)).isEqualTo(at(grid, 0, 8, 1));
        for (Layout layout : Layout.values()) {
            // A shape that no weight of the layout has is returned unchanged, so that the check reports it.
            List<Long> strange = layout == Layout.CHANNEL_SCALE ? List.of(7L, 7L) : List.of(7L);
            assertThat(layout.shape(strange)).isEqualTo(strange);
        }
    }

    @Test
    void a_keras_model_comes_over_with_its_variant() throws IOException {
        BackboneConfig config = new BackboneConfig(Architecture.VGG16, Variant.KERAS, 0);
        Map<String, Tensor> weights = random(config);
        Path h5 = folder.resolve("vgg16_notop.h5");
        try (io.jhdf.WritableHdfFile file = io.jhdf.HdfFile.write(h5)) {
            int index = 0;
            for (int stage = 1; stage <= 5; stage++) {
                for (int layer = 1;
                        layer
                                <= ((Vgg) Blueprint.of(Architecture.VGG16))
                                        .depths()
                                        .get(stage - 1);
                        layer++) {
                    String name = "block" + stage + "_conv" + layer;
                    io.jhdf.api.WritableGroup group = file.putGroup(name);
                    Tensor kernel = requireNonNull(weights.get("features." + index + ".weight"));
                    Tensor bias = requireNonNull(weights.get("features." + index + ".bias"));
                    group.putDataset(name + "_W_1:0", hwio(kernel));
                    group.putDataset(name + "_b_1:0", floats(bias));
                    index += 2;
                }
                index++;
            }
        }
        WeightsImport.Report report =
                WeightsImport.run(new WeightsImport.Request(h5, Architecture.VGG16, null, null), out);
        assertThat(report.config()).isEqualTo(config);
        try (SafetensorsFile file = SafetensorsFile.open(out)) {
            for (Map.Entry<String, Tensor> weight : weights.entrySet()) {
                assertThat(file.tensor(weight.getKey()).equal(weight.getValue()))
                        .as(weight.getKey())
                        .isTrue();
            }
        }
        assertThatThrownBy(() -> WeightsImport.run(
                        new WeightsImport.Request(h5, Architecture.VGG19, null, null), folder.resolve("x")))
                .hasMessageContaining("does not fit vgg19-keras");
    }

    @ParameterizedTest
    @CsvSource({"bn_conv1, 0.00001, keras has 0.001", "conv2_block1_0_bn, 0.001, keras-applications has 1.001E-5"})
    void an_epsilon_of_another_variant_is_noticed(String layer, String epsilon, String reason) throws IOException {
        Files.writeString(
                folder.resolve("model.json"),
                "{\"modelTopology\":{\"model_config\":{\"config\":{\"layers\":[{\"class_name\":\"BatchNormalization\","
                        + "\"config\":{\"epsilon\":" + epsilon + "}}]}}},\"weightsManifest\":[{\"paths\":[\"a.bin\"],"
                        + "\"weights\":[{\"name\":\"" + layer + "/gamma\",\"shape\":[1],\"dtype\":\"float32\"}]}]}");
        Files.write(folder.resolve("a.bin"), new byte[4]);
        assertThatThrownBy(() ->
                        WeightsImport.run(new WeightsImport.Request(folder, Architecture.RESNET50, null, null), out))
                .hasMessageContaining(reason)
                .hasMessageContaining("--variant");
    }

    private WeightsImport.Report run(
            Architecture architecture,
            @org.jspecify.annotations.Nullable Variant variant,
            @org.jspecify.annotations.Nullable String licence)
            throws IOException {
        return WeightsImport.run(new WeightsImport.Request(source, architecture, variant, licence), out);
    }

    private static Map<String, Tensor> random(BackboneConfig config) {
        Map<String, Tensor> weights = new TreeMap<>();
        Plan.of(config)
                .weights()
                .forEach((name, shape) -> weights.put(
                        name,
                        new Seed(3)
                                .child(name)
                                .uniform(
                                        FLOAT,
                                        shape.stream()
                                                .mapToLong(Long::longValue)
                                                .toArray())));
        return weights;
    }

    private static double at(Tensor tensor, long... place) {
        Tensor part = tensor;
        for (long index : place) {
            part = part.select(0, index);
        }
        return part.item_double();
    }

    private static float[] floats(Tensor tensor) {
        float[] values = new float[(int) tensor.numel()];
        new org.bytedeco.javacpp.FloatPointer(tensor.contiguous().data_ptr()).get(values);
        return values;
    }

    private static float[][][][] hwio(Tensor oihw) {
        float[] flat = floats(oihw.permute(2, 3, 1, 0));
        float[][][][] kernel = new float[3][3][(int) oihw.size(1)][(int) oihw.size(0)];
        int next = 0;
        for (float[][][] row : kernel) {
            for (float[][] place : row) {
                for (float[] input : place) {
                    System.arraycopy(flat, next, input, 0, input.length);
                    next += input.length;
                }
            }
        }
        return kernel;
    }
}
