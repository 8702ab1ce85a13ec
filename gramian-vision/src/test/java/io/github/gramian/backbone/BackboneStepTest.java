package io.github.gramian.backbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackboneStepTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** A separate implementation, written only from the descriptions of the steps. */
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
        if (step instanceof BackboneStep.Stem one) {
            return maps(normed(one.norm(), positions(convolved(one.convolution(), x))));
        }
        if (step instanceof BackboneStep.ConvNextBlock one) {
            Tensor y = one.halving()
                    .map(halving -> convolved(halving.convolution(), maps(normed(halving.norm(), positions(x)))))
                    .orElse(x);
            return y.add(maps(mixed(one.mlp(), positions(convolved(one.depthwise(), y)))));
        }
        if (step instanceof BackboneStep.PooledNorm one) {
            return normed(one.norm(), positions(x).mean(1, 2));
        }
        if (step instanceof BackboneStep.Embedding one) {
            Tensor patches = positions(convolved(one.patches(), x)).flatten(1, 2);
            int side = (int) Math.round(Math.sqrt((double) patches.size(1)));
            return torch.cat(
                    new TensorVector(
                            one.whole().get(), patches.add(one.positions().apply(side))),
                    1);
        }
        if (step instanceof BackboneStep.TransformerBlock one) {
            Tensor y = x.add(attended(one.attention(), x));
            Tensor z = y.add(mixed(one.mlp(), y));
            return one.last().map(norm -> normed(norm, z)).orElse(z);
        }
        if (step instanceof BackboneStep.ClassToken) {
            return x.select(1, 0);
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
                x.size(1) / one.weight().size(1));
    }

    private static Tensor positions(Tensor maps) {
        return maps.permute(0, 2, 3, 1);
    }

    private static Tensor maps(Tensor positions) {
        return positions.permute(0, 3, 1, 2);
    }

    private static Tensor normed(BackboneStep.Norm norm, Tensor x) {
        Tensor centred = x.sub(x.mean(new long[] {-1}, true, new ScalarTypeOptional()));
        Tensor variance = centred.square().mean(new long[] {-1}, true, new ScalarTypeOptional());
        return centred.div(variance.add(new Scalar(norm.epsilon())).sqrt())
                .mul(norm.weight())
                .add(norm.bias());
    }

    private static Tensor product(BackboneStep.Product one, Tensor x) {
        return torch.linear(x, one.weight(), new TensorOptional(one.bias()));
    }

    private static Tensor mixed(BackboneStep.Mlp mlp, Tensor x) {
        Tensor inner = product(mlp.first(), normed(mlp.norm(), x));
        Tensor gelu = inner.mul(inner.div(new Scalar(Math.sqrt(2))).erf().add(new Scalar(1)))
                .mul(new Scalar(0.5));
        return product(mlp.second(), gelu).mul(mlp.scale().weight().flatten());
    }

    private static Tensor attended(BackboneStep.Attention attention, Tensor x) {
        Tensor all = product(attention.qkv(), normed(attention.norm(), x))
                .reshape(x.size(0), x.size(1), 3, attention.heads(), -1)
                .permute(2, 0, 3, 1, 4);
        Tensor scores = all.select(0, 0)
                .matmul(all.select(0, 1).transpose(-2, -1))
                .div(new Scalar(Math.sqrt((double) all.size(4))));
        Tensor mixed = torch.softmax(scores, -1)
                .matmul(all.select(0, 2))
                .transpose(1, 2)
                .reshape(x.size(0), x.size(1), -1);
        return product(attention.out(), mixed).mul(attention.scale().weight());
    }

    /** What a tap gives: tokens of patches as maps, anything else as it is. */
    private static Tensor taken(BackboneStep step, Tensor output) {
        int others = step instanceof BackboneStep.TransformerBlock block
                ? block.others()
                : step instanceof BackboneStep.Embedding embedding
                        ? (int) embedding.whole().get().size(1)
                        : -1;
        if (others < 0) {
            return output;
        }
        long side = Math.round(Math.sqrt((double) (output.size(1) - others)));
        return maps(output.narrow(1, others, side * side).reshape(output.size(0), side, side, -1));
    }

    @ParameterizedTest
    @CsvSource({
        "RESNET18_TINY,TORCHVISION,5",
        "RESNET50,KERAS,5",
        "VGG16,TORCHVISION,0",
        "CONVNEXT_TINY,TORCHVISION,5",
        "VITS14,DINOV2,0",
        "VITS14,DINOV2_REGISTERS,0"
    })
    void steps_describe_everything_that_a_network_computes(Architecture architecture, Variant variant, int classes) {
        BackboneConfig config = new BackboneConfig(architecture, variant, classes);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone =
                        ConvolutionalBackbone.random(config, new Seed(3), new BackboneOptions(DOUBLE, true, null))) {
            Tensor images = new Seed(4).normal(DOUBLE, 1, 3, 42, 42);
            Tensor current = images;
            for (BackboneStep step : backbone.steps()) {
                current = output(step, current);
                Tensor ours = backbone.features(images, step.tap().name());
                assertThat(ours.sub(taken(step, current)).abs().max().item_double())
                        .as(step.tap().name())
                        .isLessThan(1e-9);
                assertThat(ours.size(1)).isEqualTo(step.tap().channels());
            }
            assertThat(backbone.steps()).hasSameSizeAs(backbone.taps());
        }
    }

    @ParameterizedTest
    @CsvSource({"RESNET18_TINY,TORCHVISION"})
    void a_network_with_its_own_batch_norms_reports_how_to_open_it(Architecture architecture, Variant variant) {
        BackboneConfig config = new BackboneConfig(architecture, variant, 0);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(
                config, new Seed(3), BackboneOptions.frozen(Precision.FLOAT).unfolded())) {
            assertThatThrownBy(backbone::steps)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("BackboneOptions.frozen");
        }
    }
}
