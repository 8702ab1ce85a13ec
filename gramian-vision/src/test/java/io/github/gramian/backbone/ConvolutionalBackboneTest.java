package io.github.gramian.backbone;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.ConvolutionalBackbone.WeightSource;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.internal.WeightTable;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ConvolutionalBackboneTest {

    private static final BackboneConfig RESNET18 = new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 10);
    private static final BackboneOptions FLOAT = BackboneOptions.frozen(Precision.FLOAT);

    private final Scope scope = Scope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    @ParameterizedTest
    @CsvSource({
        "VGG16,    TORCHVISION, 1000, 138357544",
        "VGG19,    TORCHVISION, 1000, 143667240",
        "RESNET18, TORCHVISION, 1000, 11699112",
        "RESNET34, TORCHVISION, 1000, 21814696",
        "RESNET50, TORCHVISION, 1000, 25610152",
        "RESNET50, KERAS,       1000, 25636712",
        "RESNET101, TORCHVISION, 1000, 44654504",
        "RESNET101, KERAS_APPLICATIONS, 1000, 44707176",
        "VGG16,    KERAS,       0,    14714688",
    })
    void a_plan_has_as_many_weights_as_the_published_network(
            Architecture architecture, Variant variant, int classes, long values) {
        assertThat(Plan.of(new BackboneConfig(architecture, variant, classes)).valueCount())
                .isEqualTo(values);
    }

    @ParameterizedTest
    @EnumSource( // one of each family; the others differ only in sizes, which the plans' test checks
            names = {"VGG16", "RESNET18_TINY", "RESNET18", "RESNET50", "CONVNEXT_TINY", "VITS14"})
    void every_tap_has_the_channels_and_the_stride_it_promises(Architecture architecture) {
        BackboneConfig config =
                new BackboneConfig(architecture, architecture.variants().get(0), 0);
        boolean patches = Blueprint.of(architecture).granularity() > 1;
        long height = patches ? 56 : 64;
        long width = patches ? 84 : 96;
        Tensor image = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 1, 3, height, width);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(config, new Seed(2), FLOAT)) {
            List<String> names = backbone.taps().stream().map(Tap::name).toList();
            assertThat(names).doesNotHaveDuplicates();
            Map<String, Tensor> features = backbone.features(image, names);
            for (Tap tap : backbone.taps()) {
                long channels = tap.channels();
                assertThat(WeightTable.shape(requireNonNull(features.get(tap.name()))))
                        .as(tap.name())
                        .isEqualTo(
                                tap.stride() == 0
                                        ? List.of(1L, channels)
                                        : List.of(1L, channels, height / tap.stride(), width / tap.stride()));
            }
            assertThat(requireNonNull(features.get(names.get(3))).is_contiguous(MemoryFormat.ChannelsLast))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RESNET50, res4f, layer3, 1024, 16",
        "RESNET50, res5c, layer4.2, 2048, 32",
        "RESNET101, res4w, res4b22, 1024, 16",
        "RESNET18, res5b, layer4, 512, 32",
        "VGG16, conv5_3, block5_conv3, 512, 16",
        "VGG19, conv5_4, features.35, 512, 16",
    })
    void taps_go_by_the_names_of_other_frameworks_too(
            Architecture architecture, String name, String alias, int channels, int stride) {
        Plan plan = Plan.of(new BackboneConfig(architecture, Variant.TORCHVISION, 0));
        Tap tap = plan.taps().get(plan.indexOf(alias));
        assertThat(tap.name()).isEqualTo(name);
        assertThat(tap.channels()).isEqualTo(channels);
        assertThat(tap.stride()).isEqualTo(stride);
    }

    @ParameterizedTest
    @CsvSource({"RESNET50, KERAS", "RESNET18, TORCHVISION"})
    void folding_batch_norm_changes_nothing_but_rounding(Architecture architecture, Variant variant)
            throws IOException {
        BackboneConfig config = new BackboneConfig(architecture, variant, 7);
        Placement wide = Placement.cpu(Precision.DOUBLE);
        Tensor images = new Seed(1).normal(wide, 2, 3, 64, 64);
        BackboneOptions folded = new BackboneOptions(wide, true, null);
        try (ConvolutionalBackbone one = ConvolutionalBackbone.of(config, nontrivial(config), "test", folded);
                ConvolutionalBackbone other =
                        ConvolutionalBackbone.of(config, nontrivial(config), "test", folded.unfolded())) {
            Tensor a = one.features(images, "logits");
            Tensor b = other.features(images, "logits");
            assertThat(relativeDifference(a, b)).isLessThan(1e-12);
            assertThat(b.norm().item_double()).isGreaterThan(0.1);
        }
    }

    @Tag("slow")
    @Test
    void the_variants_are_different_functions_of_the_same_weights() throws IOException {
        Tensor images = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 1, 3, 64, 64);
        BackboneConfig caffe = new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 0);
        BackboneConfig small = new BackboneConfig(Architecture.RESNET50, Variant.KERAS_APPLICATIONS, 0);
        BackboneConfig torchvision = new BackboneConfig(Architecture.RESNET50, Variant.TORCHVISION, 0);
        try (ConvolutionalBackbone a = ConvolutionalBackbone.of(caffe, nontrivial(caffe), "test", FLOAT);
                ConvolutionalBackbone b = ConvolutionalBackbone.of(small, nontrivial(caffe), "test", FLOAT);
                ConvolutionalBackbone c = ConvolutionalBackbone.of(torchvision, nontrivial(caffe), "test", FLOAT)) {
            Tensor features = a.features(images, "res5c");
            assertThat(relativeDifference(features, b.features(images, "res5c")))
                    .isBetween(1e-5, 0.5);
            assertThat(relativeDifference(features, c.features(images, "res5c")))
                    .isGreaterThan(0.01);
        }
    }

    @Test
    void several_taps_in_one_pass_equal_single_passes() {
        Tensor images = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 2, 3, 64, 64);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT)) {
            Map<String, Tensor> all = backbone.features(images, List.of("layer4", "conv1", "res3b", "fc"));
            assertThat(all.keySet()).containsExactly("layer4", "conv1", "res3b", "fc");
            all.forEach((tap, features) -> assertThat(features.equal(backbone.features(images, tap)))
                    .as(tap)
                    .isTrue());
            assertThat(WeightTable.shape(requireNonNull(all.get("fc")))).containsExactly(2L, 10L);
        }
    }

    @Test
    void a_pass_ends_after_the_last_tap_that_is_needed() {
        BackboneConfig vgg = new BackboneConfig(Architecture.VGG16, Variant.TORCHVISION, 0);
        Tensor tooSmallForFivePoolings = torch.ones(1, 3, 8, 8);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(vgg, new Seed(2), FLOAT)) {
            assertThat(backbone.features(tooSmallForFivePoolings, "conv4_3").size(2))
                    .isEqualTo(1);
            assertThatThrownBy(() -> backbone.features(tooSmallForFivePoolings, "pool5"))
                    .isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void only_layers_from_the_named_one_on_receive_gradients() {
        Tensor images = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 2, 3, 64, 64);
        try (ConvolutionalBackbone backbone =
                ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT.trainableFrom("res5a"))) {
            assertThat(backbone.parameters().keySet())
                    .isNotEmpty()
                    .allMatch(name -> name.startsWith("layer4.") || name.startsWith("fc."))
                    .noneMatch(name -> name.contains("running"));
            backbone.features(images, "res5b").sum().backward();
            backbone.parameters().forEach((name, weight) -> {
                if (!name.startsWith("fc.")) {
                    assertThat(weight.grad().norm().item_double()).as(name).isPositive();
                }
            });
            assertThat(backbone.features(images, "res4b").requires_grad()).isFalse();
        }
    }

    @Test
    void layers_after_the_last_tap_are_not_trained() {
        try (ConvolutionalBackbone backbone =
                ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT.trainableFrom("res5a"))) {
            assertThat(backbone.parameters())
                    .containsKeys("layer4.0.conv1.weight", "layer4.1.conv1.weight", "fc.weight");
            assertThat(backbone.parameters(List.of("res4b", "res5a")).keySet())
                    .isNotEmpty()
                    .allMatch(name -> name.startsWith("layer4.0."));
            assertThat(backbone.parameters(List.of("res4b"))).isEmpty();
            assertThat(backbone.lastConvolution().name()).isEqualTo("res5b");
        }
    }

    @Test
    void trainable_weights_stay_in_float_while_layers_compute_in_bfloat16() {
        Tensor images = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 1, 3, 64, 64);
        BackboneOptions options = BackboneOptions.frozen(Precision.BFLOAT16).trainableFrom("res5b");
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(RESNET18, new Seed(2), options)) {
            Tensor features = backbone.features(images, "res5b");
            assertThat(Placement.of(features).precision()).isEqualTo(Precision.BFLOAT16);
            features.sum().backward();
            Tensor weight = requireNonNull(backbone.parameters().get("layer4.1.conv1.weight"));
            assertThat(Placement.of(weight).precision()).isEqualTo(Precision.FLOAT);
            assertThat(weight.grad().norm().item_double()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"VGG16, conv5_3, true", "RESNET50, res5c, true", "RESNET18, res5b, false"})
    void bfloat16_features_stay_near_float_features(Architecture architecture, String tap, boolean fold) {
        BackboneConfig config = new BackboneConfig(architecture, Variant.TORCHVISION, 0);
        Tensor images = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 1, 3, 96, 96);
        BackboneOptions narrow = new BackboneOptions(Placement.cpu(Precision.BFLOAT16), fold, null);
        try (ConvolutionalBackbone wide = ConvolutionalBackbone.random(config, new Seed(2), FLOAT);
                ConvolutionalBackbone low = ConvolutionalBackbone.random(config, new Seed(2), narrow)) {
            assertThat(relativeDifference(wide.features(images, tap), low.features(images, tap)))
                    .isBetween(1e-5, 0.025);
        }
    }

    @Test
    void several_threads_get_the_same_features() throws Exception {
        Tensor images = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 1, 3, 64, 64);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT)) {
            double expected = backbone.features(images, "res5b").sum().item_double();
            Callable<Double> task = () -> {
                try (Scope own = Scope.open()) {
                    return backbone.features(images, "res5b").sum().item_double();
                }
            };
            for (Future<Double> result : threads.invokeAll(java.util.Collections.nCopies(12, task))) {
                assertThat(result.get()).isEqualTo(expected);
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void what_cannot_be_is_refused_with_advice() {
        Tensor grey = torch.ones(1, 1, 64, 64);
        Tensor images = torch.ones(1, 3, 64, 64);
        ConvolutionalBackbone backbone = ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT);
        assertThatThrownBy(() -> backbone.features(grey, "res5b")).hasMessageContaining("[batch, 3, height, width]");
        assertThatThrownBy(() -> backbone.features(images, List.of())).hasMessageContaining("at least one layer");
        assertThatThrownBy(() -> backbone.features(images, "res9z")).hasMessageContaining("res5b");
        assertThatThrownBy(() -> backbone.tap("res9z")).hasMessageContaining("res5b");
        assertThat(backbone.tap("layer4").name()).isEqualTo("res5b");
        backbone.close();
        assertThatThrownBy(() -> backbone.features(images, "res5b")).hasMessageContaining("closed");
        assertThatThrownBy(() -> ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT.trainableFrom("nothing")))
                .hasMessageContaining("no layer 'nothing'");
        assertThatThrownBy(() -> ConvolutionalBackbone.of(RESNET18, name -> torch.ones(3), "wrong", FLOAT))
                .hasMessageContaining("another network's weights");
        assertThatThrownBy(() -> new BackboneConfig(Architecture.RESNET18, Variant.KERAS, 0))
                .hasMessageContaining("torchvision");
        assertThatThrownBy(() -> new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, -1))
                .hasMessageContaining("classes");
        assertThatThrownBy(() -> Architecture.named("alexnet")).hasMessageContaining("resnet50");
        assertThatThrownBy(() -> Variant.named("caffe")).hasMessageContaining("keras-applications");
    }

    @Test
    void a_backbone_describes_itself() {
        try (Backbone backbone = ConvolutionalBackbone.random(RESNET18, new Seed(2), FLOAT)) {
            assertThat(backbone.name()).isEqualTo("resnet18-torchvision");
            assertThat(backbone.weightsHash()).isEqualTo("random:2");
            assertThat(backbone.normalisation().key()).isEqualTo("torchvision");
            assertThat(backbone.placement()).isEqualTo(FLOAT.placement());
            assertThat(backbone.parameters()).isEmpty();
            assertThat(((ConvolutionalBackbone) backbone).config()).isEqualTo(RESNET18);
        }
    }

    /** Seeded weights whose batch-norms do something, small enough that activations neither vanish nor explode. */
    private static WeightSource nontrivial(BackboneConfig config) {
        Map<String, List<Long>> shapes = Plan.of(config).weights();
        return name -> {
            long[] shape = requireNonNull(shapes.get(name)).stream()
                    .mapToLong(Long::longValue)
                    .toArray();
            Seed seed = new Seed(5).child(name);
            Placement placement = Placement.cpu(Precision.FLOAT);
            if (shape.length > 1) {
                double fanIn = java.util.Arrays.stream(shape).skip(1).reduce(1, (a, b) -> a * b);
                return seed.normal(placement, shape).mul(new Scalar(Math.sqrt(2 / fanIn)));
            }
            if (name.endsWith(".running_var")) {
                return seed.uniform(placement, shape).add(new Scalar(0.5));
            }
            double centre = name.endsWith(".weight") ? 0.6 : 0;
            return seed.normal(placement, shape).mul(new Scalar(0.1)).add(new Scalar(centre));
        };
    }

    static double relativeDifference(Tensor expected, Tensor actual) {
        Tensor wide = expected.to(torch.ScalarType.Double);
        return wide.sub(actual.to(torch.ScalarType.Double)).norm().item_double()
                / wide.norm().item_double();
    }
}
