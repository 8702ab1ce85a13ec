package io.github.gramian.backbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowStreamTest {

    private static final BackboneOptions OPTIONS =
            BackboneOptions.frozen(Precision.FLOAT).plain();

    @ParameterizedTest
    @CsvSource({
        "RESNET18_TINY, TORCHVISION, res3b res5b, 200, 136, 64",
        "RESNET18_TINY, TORCHVISION, res4a, 97, 161, 33",
        "RESNET18_TINY, TORCHVISION, conv1 pool1 res5b, 64, 64, 7",
        "RESNET18_TINY, TORCHVISION, res5b, 131, 40, 1",
        "RESNET50, KERAS, res3d res4f, 150, 70, 50",
        "VGG16, TORCHVISION, conv4_3 conv5_3, 100, 70, 24",
        "CONVNEXT_TINY, TORCHVISION, stage2_3 stage3_9, 150, 66, 41"
    })
    void strips_give_the_features_of_one_pass(
            Architecture architecture, Variant variant, String names, int height, int width, int rows) {
        List<String> taps = List.of(names.split(" "));
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone = random(architecture, variant)) {
            Tensor photograph = new Seed(7).normal(Placement.cpu(Precision.FLOAT), 1, 3, height, width);
            Map<String, Tensor> expected = backbone.features(photograph, taps);
            Map<String, List<Tensor>> found = new TreeMap<>();
            backbone.stream(
                    strips(photograph, rows),
                    taps,
                    (tap, part) ->
                            found.computeIfAbsent(tap, key -> new ArrayList<>()).add(scope.promote(part.clone())));
            for (String tap : taps) {
                Tensor whole = torch.cat(new TensorVector(found.get(tap).toArray(Tensor[]::new)), 2);
                Tensor one = expected.get(tap);
                assertThat(whole.is_same_size(one)).as(tap).isTrue();
                double difference = whole.sub(one).abs().max().item_double()
                        / one.abs().max().item_double();
                assertThat(difference).as(tap).isLessThan(1e-5);
            }
        }
    }

    @Test
    void a_vision_transformer_is_refused() {
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone = random(Architecture.VITS14, Variant.DINOV2)) {
            Tensor photograph = torch.zeros(1, 3, 28, 28);
            assertThatThrownBy(() -> backbone.stream(strips(photograph, 14), List.of("block1"), (tap, rows) -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("needs the whole photograph");
        }
    }

    private static ConvolutionalBackbone random(Architecture architecture, Variant variant) {
        return ConvolutionalBackbone.random(new BackboneConfig(architecture, variant, 0), new Seed(3), OPTIONS);
    }

    private static Iterator<Tensor> strips(Tensor photograph, int rows) {
        List<Tensor> strips = new ArrayList<>();
        for (long from = 0; from < photograph.size(2); from += rows) {
            strips.add(photograph.narrow(2, from, Math.min(rows, photograph.size(2) - from)));
        }
        return strips.iterator();
    }
}
