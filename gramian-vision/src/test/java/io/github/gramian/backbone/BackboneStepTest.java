package io.github.gramian.backbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackboneStepTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** A network of its own, written only from what the steps say. */
    private static Tensor output(BackboneStep step, Tensor x) {
        if (step instanceof BackboneStep.Convolved one) {
            return convolved(one.convolution(), x).relu();
        }
        if (step instanceof BackboneStep.Pooled one) {
            return torch.max_pool2d(
                    x,
                    new long[] {one.kernel()},
                    new long[] {one.stride()},
                    new long[] {one.padding()},
                    new long[] {1},
                    false);
        }
        if (step instanceof BackboneStep.Residual one) {
            Tensor y = x;
            for (int i = 0; i < one.path().size(); i++) {
                y = convolved(one.path().get(i), i == 0 ? y : y.relu());
            }
            return y.add(one.shortcut().map(shortcut -> convolved(shortcut, x)).orElse(x))
                    .relu();
        }
        if (step instanceof BackboneStep.Grid one) {
            return torch.adaptive_avg_pool2d(x, one.grid(), one.grid()).flatten(1, -1);
        }
        BackboneStep.Connected one = (BackboneStep.Connected) step;
        Tensor y = torch.linear(x, one.weight(), new TensorOptional(one.bias()));
        return one.rectified() ? y.relu() : y;
    }

    private static Tensor convolved(BackboneStep.Convolution one, Tensor x) {
        TensorOptional bias = one.bias().map(TensorOptional::new).orElseGet(TensorOptional::new);
        return torch.conv2d(
                x,
                one.weight(),
                bias,
                new long[] {one.stride(), one.stride()},
                new long[] {one.padding(), one.padding()},
                new long[] {1, 1},
                1);
    }

    @ParameterizedTest
    @CsvSource({"RESNET18,TORCHVISION", "RESNET50,KERAS", "VGG16,TORCHVISION"})
    void steps_tell_all_that_a_network_computes(Architecture architecture, Variant variant) {
        BackboneConfig config = new BackboneConfig(architecture, variant, architecture.isResidual() ? 5 : 0);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone =
                        ConvolutionalBackbone.random(config, new Seed(3), new BackboneOptions(DOUBLE, true, null))) {
            Tensor images = new Seed(4).normal(DOUBLE, 1, 3, 40, 40);
            Tensor current = images;
            for (BackboneStep step : backbone.steps()) {
                current = output(step, current);
                Tensor ours = backbone.features(images, step.tap().name());
                assertThat(ours.sub(current).abs().max().item_double())
                        .as(step.tap().name())
                        .isLessThan(1e-9);
                assertThat(ours.size(1)).isEqualTo(step.tap().channels());
            }
            assertThat(backbone.steps()).hasSameSizeAs(backbone.taps());
        }
    }

    @ParameterizedTest
    @CsvSource({"RESNET18,TORCHVISION"})
    void a_network_with_batch_norms_of_its_own_says_how_to_open_it(Architecture architecture, Variant variant) {
        BackboneConfig config = new BackboneConfig(architecture, variant, 0);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(
                config, new Seed(3), BackboneOptions.frozen(Precision.FLOAT).unfolded())) {
            assertThatThrownBy(backbone::steps)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("BackboneOptions.frozen");
        }
    }
}
