package io.github.gramian.onnx.engine.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.engine.internal.FrozenEngine;
import io.github.gramian.backbone.engine.internal.FrozenRequest;
import io.github.gramian.check.ResidentMemory;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OnnxFeatureEngineTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final BackboneOptions FROZEN = BackboneOptions.frozen(Precision.FLOAT);
    private static final BackboneConfig TINY = new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0);

    @ParameterizedTest
    @CsvSource({
        "RESNET18_TINY, TORCHVISION, conv1, res5b, 64, 3",
        "RESNET18_TINY, TORCHVISION, res3a, res5b, 96, 35",
        "RESNET50, KERAS, res4f, res5c, 64, 1",
        "CONVNEXT_TINY, TORCHVISION, stage3_9, stage4_3, 64, 2",
        "VITS14, DINOV2_REGISTERS, block3, block12, 56, 2"
    })
    void features_equal_those_of_libtorch_up_to_rounding(
            Architecture architecture, Variant variant, String early, String late, int size, int batch) {
        BackboneConfig config = new BackboneConfig(architecture, variant, 0);
        try (Scope scope = Scope.open();
                ConvolutionalBackbone plain = ConvolutionalBackbone.random(config, new Seed(1), FROZEN.plain());
                ConvolutionalBackbone fast = ConvolutionalBackbone.random(config, new Seed(1), FROZEN)) {
            Tensor images = new Seed(2).normal(FLOAT, batch, 3, size, size);
            Map<String, Tensor> expected = plain.features(images, List.of(late, early));
            Map<String, Tensor> features =
                    fast.features(images.contiguous(MemoryFormat.ChannelsLast), List.of(late, early));

            assertThat(fast.otherEngine())
                    .hasValueSatisfying(name -> assertThat(name).contains("ONNX Runtime"));
            assertThat(plain.otherEngine()).isEmpty();
            assertThat(features.keySet()).containsExactly(late, early);
            features.forEach((tap, found) -> {
                Tensor wanted = Objects.requireNonNull(expected.get(tap));
                assertThat(found.is_contiguous(MemoryFormat.ChannelsLast))
                        .as(tap)
                        .isTrue();
                assertThat(found.sub(wanted).abs().max().item_double())
                        .as(tap)
                        .isLessThanOrEqualTo(1e-5 * wanted.abs().max().item_double());
            });
        }
    }

    @Test
    void one_session_computes_images_of_several_sizes_with_the_bits_of_a_session_for_one_size() throws IOException {
        try (Scope scope = Scope.open();
                ConvolutionalBackbone backbone = ConvolutionalBackbone.random(TINY, new Seed(1), FROZEN.plain());
                FrozenEngine all = open(backbone, FrozenRequest.ANY_SIZE)) {
            for (int size : new int[] {96, 64, 65, 230}) {
                Tensor images = new Seed(size).normal(FLOAT, 2, 3, size, size);
                try (FrozenEngine one = open(backbone, size)) {
                    assertThat(HostCopy.floats(all.features(images).get(0)))
                            .as("size %d", size)
                            .containsExactly(
                                    HostCopy.floats(one.features(images).get(0)));
                }
            }
        }
    }

    @Test
    void shapes_are_found_without_opening_a_session() {
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(TINY, new Seed(1), FROZEN)) {
            assertThat(backbone.shapes(65, List.of("res5b", "conv1")))
                    .containsEntry("res5b", List.of(64L, 3L, 3L))
                    .containsEntry("conv1", List.of(8L, 33L, 33L));
            assertThat(backbone.otherEngine()).isEmpty();
        }
    }

    @Test
    void a_layer_that_makes_vectors_is_not_supported() throws IOException {
        BackboneConfig config = new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 10);
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(config, new Seed(1), FROZEN.plain())) {
            FrozenRequest request = new FrozenRequest(List.of("fc"), 64, 1);

            assertThat(new OnnxFeatureProvider().open(backbone.steps(), request))
                    .isEmpty();
        }
    }

    @Test
    void several_threads_at_once_get_the_same_bits() throws Exception {
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(TINY, new Seed(1), FROZEN.plain());
                FrozenEngine engine = open(backbone, 64)) {
            float[] expected = floats(engine, 0);
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Future<float[]>> answers = IntStream.range(0, 40)
                        .mapToObj(call -> threads.submit(() -> {
                            floats(engine, 1 + call % 3);
                            return floats(engine, 0);
                        }))
                        .toList();
                for (Future<float[]> answer : answers) {
                    assertThat(answer.get()).containsExactly(expected);
                }
            } finally {
                threads.shutdown();
            }
        }
    }

    private static float[] floats(FrozenEngine engine, int image) {
        try (Scope scope = Scope.open()) {
            Tensor images = new Seed(image).normal(FLOAT, 2 + image, 3, 64, 64);
            return HostCopy.floats(engine.features(images).get(0));
        }
    }

    @Tag("slow")
    @Test
    void memory_does_not_grow_over_many_batches_of_changing_sizes() throws IOException {
        int batches = Boolean.getBoolean("gramian.test.full") ? 10_000 : 1_500;
        try (ConvolutionalBackbone backbone = ConvolutionalBackbone.random(TINY, new Seed(1), FROZEN.plain());
                FrozenEngine engine = open(backbone, 64)) {
            run(engine, batches / 3);
            long before = ResidentMemory.kilobytes();
            run(engine, batches);
            assertThat(ResidentMemory.kilobytes() - before).isLessThan(48L << 10);
        }
    }

    private static void run(FrozenEngine engine, int batches) {
        for (int i = 0; i < batches; i++) {
            try (Scope scope = Scope.open()) {
                engine.features(new Seed(i).normal(FLOAT, 1 + i * 7 % 40, 3, 64, 64));
            }
        }
    }

    private static FrozenEngine open(ConvolutionalBackbone backbone, int size) throws IOException {
        return new OnnxFeatureProvider()
                .open(backbone.steps(), new FrozenRequest(List.of("res5b"), size, 2))
                .orElseThrow();
    }
}
