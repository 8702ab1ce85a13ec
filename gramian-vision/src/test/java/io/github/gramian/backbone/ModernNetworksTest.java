package io.github.gramian.backbone;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ConvNeXt and vision transformers: gradients, bfloat16, sizes, names. */
class ModernNetworksTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Frozen networks in float, one for all tests. */
    private static final Map<BackboneConfig, ConvolutionalBackbone> FROZEN = new HashMap<>();

    @AfterAll
    static void close_networks() {
        FROZEN.values().forEach(ConvolutionalBackbone::close);
        FROZEN.clear();
    }

    private static ConvolutionalBackbone frozen(Architecture architecture, Variant variant) {
        return FROZEN.computeIfAbsent(
                config(architecture, variant),
                config -> ConvolutionalBackbone.random(config, new Seed(5), BackboneOptions.frozen(Precision.FLOAT)));
    }

    /** Networks without classifiers, as models hold them. */
    private static BackboneConfig config(Architecture architecture, Variant variant) {
        return new BackboneConfig(architecture, variant, 0);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({
        "CONVNEXT_TINY, TORCHVISION, stage4_1, stage4_3, 64",
        "VITS14, DINOV2, block12, block12, 28",
        "VITS14, DINOV2_REGISTERS, embed, block2, 28"
    })
    void gradients_flow_from_the_named_layer_and_agree_with_differences(
            Architecture architecture, Variant variant, String from, String tap, int size) {
        BackboneOptions options = new BackboneOptions(DOUBLE, true, from);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone =
                        ConvolutionalBackbone.random(config(architecture, variant), new Seed(5), options)) {
            Tensor images = new Seed(6).normal(DOUBLE, 1, 3, size, size);
            Map<String, Tensor> trained = backbone.parameters(List.of(tap));
            assertThat(trained).isNotEmpty();
            loss(backbone, images, tap).backward();
            double h = 1e-6;
            for (Map.Entry<String, Tensor> weight : trained.entrySet()) {
                Tensor values = weight.getValue().detach();
                Tensor direction = new Seed(7)
                        .child(weight.getKey())
                        .normal(DOUBLE, values.sizes().vec().get());
                double slope = weight.getValue().grad().mul(direction).sum().item_double();
                values.add_(direction, scalar(h));
                double above = loss(backbone, images, tap).item_double();
                values.sub_(direction, scalar(2 * h));
                double below = loss(backbone, images, tap).item_double();
                values.add_(direction, scalar(h));
                assertThat(slope)
                        .as(weight.getKey())
                        .isCloseTo((above - below) / (2 * h), within(1e-5 * Math.max(1, Math.abs(slope))));
            }
        }
    }

    private static Tensor loss(Backbone backbone, Tensor images, String tap) {
        Tensor features = backbone.features(images, tap);
        Tensor weights = new Seed(8).normal(DOUBLE, features.sizes().vec().get());
        return features.mul(weights).sum();
    }

    @ParameterizedTest
    @CsvSource({
        "CONVNEXT_TINY, TORCHVISION, stage4_1, features.5.8., features.6.0.",
        "VITS14, DINOV2, block12, blocks.10., blocks.11."
    })
    void layers_before_the_first_trainable_one_are_not_changed(
            Architecture architecture, Variant variant, String from, String before, String first) {
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT).trainableFrom(from);
        try (ConvolutionalBackbone backbone =
                ConvolutionalBackbone.random(config(architecture, variant), new Seed(5), options)) {
            assertThat(backbone.parameters().keySet())
                    .noneMatch(name -> name.startsWith(before))
                    .anyMatch(name -> name.startsWith(first));
        }
    }

    @ParameterizedTest
    @CsvSource({"CONVNEXT_TINY, TORCHVISION, stage4_3", "VITS14, DINOV2_REGISTERS, block12"})
    void bfloat16_is_near_float(Architecture architecture, Variant variant, String tap) {
        ConvolutionalBackbone wide = frozen(architecture, variant);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone low = ConvolutionalBackbone.random(
                        config(architecture, variant), new Seed(5), BackboneOptions.frozen(Precision.BFLOAT16))) {
            Tensor images = new Seed(6).normal(Placement.cpu(Precision.FLOAT), 2, 3, 56, 56);
            Tensor exact = wide.features(images, tap);
            Tensor rounded = Placement.cpu(Precision.FLOAT).place(low.features(images, tap));
            assertThat(exact.sub(rounded).norm().div(exact.norm()).item_double())
                    .isBetween(1e-4, 0.03);
        }
    }

    @ParameterizedTest
    @CsvSource({"CONVNEXT_TINY, TORCHVISION, stage4_3", "VITS14, DINOV2, block12"})
    void float_weights_are_trained_through_bfloat16(Architecture architecture, Variant variant, String tap) {
        BackboneOptions options = BackboneOptions.frozen(Precision.BFLOAT16).trainableFrom(tap);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone =
                        ConvolutionalBackbone.random(config(architecture, variant), new Seed(5), options)) {
            Tensor images = new Seed(6).normal(Placement.cpu(Precision.FLOAT), 1, 3, 56, 56);
            backbone.features(images, tap).square().sum().backward();
            assertThat(backbone.parameters(List.of(tap))).isNotEmpty().allSatisfy((name, weight) -> {
                assertThat(weight.scalar_type().value).isEqualTo(ScalarType.Float.value);
                assertThat(weight.grad().norm().item_double()).as(name).isFinite();
            });
        }
    }

    @Test
    void a_transformer_refuses_sizes_without_whole_patches_and_names_the_next_ones() {
        ConvolutionalBackbone backbone = frozen(Architecture.VITS14, Variant.DINOV2_REGISTERS);
        backbone.requireSize(224);
        backbone.requireSize(448);
        assertThatThrownBy(() -> backbone.requireSize(256))
                .hasMessageContaining("patches of 14 pixels")
                .hasMessageContaining("252 or 266");
        assertThatThrownBy(() ->
                        backbone.features(new Seed(6).normal(Placement.cpu(Precision.FLOAT), 1, 3, 28, 30), "block1"))
                .hasMessageContaining("28 or 42");
        assertThat(backbone.lastConvolution().name()).isEqualTo("block12");
        assertThatThrownBy(() -> new BackboneConfig(Architecture.VITS14, Variant.DINOV2, 10))
                .hasMessageContaining("no classifier");
        assertThatThrownBy(() -> new BackboneConfig(Architecture.VITS14, Variant.TORCHVISION, 0))
                .hasMessageContaining("dinov2-registers");
    }

    @Test
    void layers_go_by_the_names_of_their_publishers() {
        ConvolutionalBackbone backbone = frozen(Architecture.CONVNEXT_TINY, Variant.TORCHVISION);
        for (String name : List.of("stage3", "features.5.8", "stages.2.blocks.8", "stages.2.8", "stages.2")) {
            assertThat(backbone.tap(name).name()).as(name).isEqualTo("stage3_9");
        }
        assertThat(backbone.tap("stage3_9"))
                .extracting(Tap::channels, Tap::stride)
                .containsExactly(384, 16);
        assertThat(backbone.lastConvolution().name()).isEqualTo("stage4_3");
    }
}
