package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.layer.Parameter;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BackboneParametersTest {

    private static final String TAP = "res5b";

    private static ConvolutionalBackbone backbone(Precision precision) {
        return ConvolutionalBackbone.random(
                new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 0),
                new Seed(1),
                BackboneOptions.frozen(precision).trainableFrom(TAP));
    }

    private static Tensor images() {
        return new Seed(2).normal(Placement.cpu(Precision.FLOAT), 1, 3, 32, 32);
    }

    private static String name(Parameter parameter) {
        return parameter.name().substring("backbone.".length());
    }

    /** Runs backward from the sum of the features. */
    private static void backward(ConvolutionalBackbone backbone) {
        backbone.features(images(), TAP).sum().backward();
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FLOAT", "BFLOAT16"})
    void autograd_adds_to_the_gradients_of_the_parameters(Precision precision) {
        try (Scope scope = Scope.open();
                ConvolutionalBackbone plain = backbone(precision);
                ConvolutionalBackbone backbone = backbone(precision);
                BackboneParameters parameters = new BackboneParameters(backbone, List.of(TAP))) {
            backward(plain);
            backward(backbone);
            Map<String, Tensor> expected = plain.parameters(List.of(TAP));
            assertThat(parameters.parameters()).hasSameSizeAs(expected.keySet()).isNotEmpty();
            for (Parameter parameter : parameters.parameters()) {
                Tensor weight = requireNonNull(expected.get(name(parameter)));
                assertThat(HostCopy.floats(parameter.gradient())).isEqualTo(HostCopy.floats(weight.grad()));
            }
            backward(plain);
            backward(backbone);
            Parameter first = parameters.parameters().get(0);
            Tensor twice = requireNonNull(expected.get(name(first))).grad();
            assertThat(HostCopy.floats(first.gradient())).isEqualTo(HostCopy.floats(twice));
        }
    }

    @Test
    void residual_blocks_count_from_the_features_and_layers_after_them_do_not_count() {
        BackboneOptions from = BackboneOptions.frozen(Precision.FLOAT).trainableFrom("res4b");
        BackboneConfig config = new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 10);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone = ConvolutionalBackbone.random(config, new Seed(1), from);
                BackboneParameters parameters = new BackboneParameters(backbone, List.of("res4b", "res5a"))) {
            assertThat(parameters.depths().keySet())
                    .containsExactlyInAnyOrderElementsOf(parameters.parameters().stream()
                            .map(Parameter::name)
                            .toList());
            List<Integer> inOrder = parameters.parameters().stream()
                    .map(parameter -> requireNonNull(parameters.depths().get(parameter.name())))
                    .toList();
            assertThat(inOrder).isSortedAccordingTo(java.util.Comparator.reverseOrder());
            assertThat(inOrder.stream().distinct()).containsExactly(1, 0);
        }
    }

    @Test
    void a_step_moves_the_backbone_itself_and_its_weights_outlive_the_parameters() {
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone = backbone(Precision.FLOAT)) {
            float[] before = HostCopy.floats(backbone.features(images(), TAP));
            Tensor weight =
                    backbone.parameters(List.of(TAP)).values().iterator().next();
            Tensor moved;
            try (BackboneParameters parameters = new BackboneParameters(backbone, List.of(TAP))) {
                Parameter first = parameters.parameters().get(0);
                moved = first.value().mul(scalar(0.5));
                first.assign(moved);
            }
            assertThat(HostCopy.floats(weight)).isEqualTo(HostCopy.floats(moved));
            assertThat(weight.grad().defined()).isFalse();
            assertThat(HostCopy.floats(backbone.features(images(), TAP))).isNotEqualTo(before);
        }
    }
}
