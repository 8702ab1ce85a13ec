package io.github.gramian.backbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Normalisation;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TorchScriptBackboneTest {

    private static final String TWO_OUTPUTS = """
            def forward(self, x):
                a = torch.relu(torch.conv2d(x, self.first, None, [2, 2], [1, 1]))
                b = torch.relu(torch.conv2d(a, self.second, None, [2, 2], [1, 1]))
                return (a, b)
            """;

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();
    private final Tensor first = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 4, 3, 3, 3);
    private final Tensor second = new Seed(2).normal(Placement.cpu(Precision.FLOAT), 6, 4, 3, 3);
    private final Tensor images = new Seed(3).normal(Placement.cpu(Precision.FLOAT), 2, 3, 32, 32);

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void the_outputs_of_a_script_are_taps() throws IOException {
        Path file = save(TWO_OUTPUTS);
        try (Backbone backbone = load(file, BackboneOptions.frozen(Precision.FLOAT), "a", "b")) {
            assertThat(backbone.taps()).containsExactly(new Tap("a", List.of(), 4, 2), new Tap("b", List.of(), 6, 4));
            Map<String, Tensor> features = backbone.features(images, List.of("b", "a"));
            assertThat(features.keySet()).containsExactly("b", "a");
            Tensor expected = torch.relu(torch.conv2d(
                    images,
                    first,
                    new org.bytedeco.pytorch.TensorOptional(),
                    new long[] {2, 2},
                    new long[] {1, 1},
                    new long[] {1, 1},
                    1));
            assertThat(ConvolutionalBackboneTest.relativeDifference(
                            expected, java.util.Objects.requireNonNull(features.get("a"))))
                    .isLessThan(1e-5);
            assertThat(backbone.name()).isEqualTo("torchscript:net.pt");
            assertThat(backbone.weightsHash()).isEqualTo("hash");
            assertThat(backbone.normalisation()).isEqualTo(Normalisation.CAFFE);
            assertThat(backbone.parameters()).isEmpty();
            assertThatThrownBy(() -> backbone.features(images, "c")).hasMessageContaining("[a, b]");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "BFLOAT16", "DOUBLE"})
    void features_come_in_the_precision_of_the_placement(Precision precision) throws IOException {
        try (Backbone backbone = load(save(TWO_OUTPUTS), BackboneOptions.frozen(precision), "a", "b")) {
            Tensor features = backbone.features(images, "b");
            assertThat(Placement.of(features)).isEqualTo(backbone.placement());
            assertThat(features.requires_grad()).isFalse();
        }
    }

    @Test
    void a_script_is_trainable_from_a_named_parameter_on() throws IOException {
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT).trainableFrom("second");
        try (Backbone backbone = load(save(TWO_OUTPUTS), options, "a", "b")) {
            assertThat(backbone.parameters().keySet()).containsExactly("second");
            backbone.features(images, "b").sum().backward();
            backbone.parameters()
                    .values()
                    .forEach(weight ->
                            assertThat(weight.grad().norm().item_double()).isPositive());
        }
        assertThatThrownBy(() -> load(save(TWO_OUTPUTS), options.trainableFrom("third"), "a", "b"))
                .hasMessageContaining("'third'");
    }

    @Test
    void a_script_that_does_not_fit_leaves_no_weights() throws IOException {
        Path file = save(TWO_OUTPUTS);
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT).trainableFrom("first");
        long before = Pointer.totalCount();
        for (int i = 0; i < 20; i++) {
            try (Scope trial = Scope.open()) {
                assertThatThrownBy(() -> load(file, options, "only one")).hasMessageContaining("returns 2 tensors");
            }
        }
        assertThat(Pointer.totalCount() - before).isLessThan(20);
    }

    @Test
    void single_tensors_and_lists_are_outputs_too() throws IOException {
        try (Backbone one = load(
                save("def forward(self, x):\n    return x.mean([2, 3])\n"),
                BackboneOptions.frozen(Precision.FLOAT),
                "pooled")) {
            assertThat(one.taps()).containsExactly(new Tap("pooled", List.of(), 3, 0));
        }
        try (Backbone list = load(
                save("def forward(self, x):\n    return [x, x * 2]\n"),
                BackboneOptions.frozen(Precision.FLOAT),
                "x",
                "twice")) {
            assertThat(list.features(images, "twice").sum().item_double())
                    .isCloseTo(2 * images.sum().item_double(), org.assertj.core.data.Offset.offset(1e-3));
        }
    }

    @Test
    void what_does_not_fit_is_refused_with_advice() throws IOException {
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT);
        Path noScript = Files.write(folder.resolve("text"), new byte[] {1, 2, 3});
        assertThatThrownBy(() -> load(noScript, options, "a")).hasMessageContaining("torch.jit.save");
        assertThatThrownBy(() -> load(folder.resolve("absent"), options, "a")).hasMessageContaining("is not a file");
        assertThatThrownBy(() -> load(save(TWO_OUTPUTS), options, "a")).hasMessageContaining("returns 2 tensors");
        assertThatThrownBy(() -> load(save("def forward(self, x):\n    return 3\n"), options, "a"))
                .hasMessageContaining("wrap its forward");
        assertThatThrownBy(() -> load(save("def forward(self, x):\n    return x.mean()\n"), options, "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a' with 0 dimensions");
        assertThatThrownBy(() -> load(save(TWO_OUTPUTS), options, "a", "a")).hasMessageContaining("once");
        assertThatThrownBy(() -> new TorchScriptBackbone.Interface(List.of("a"), Normalisation.CAFFE, 0))
                .hasMessageContaining("probeSize");
        Backbone closed = load(save(TWO_OUTPUTS), options, "a", "b");
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.features(images, "a")).hasMessageContaining("closed");
    }

    @Test
    void a_size_that_the_program_does_not_take_is_refused_in_one_line() throws IOException {
        BackboneOptions options = BackboneOptions.frozen(Precision.FLOAT);
        String onlySixtyFour = """
                def forward(self, x):
                    return x.reshape([x.size(0), 12, 32, 32])
                """;
        try (Backbone backbone = load(save(onlySixtyFour), options, "a")) {
            backbone.requireSize(64);
            assertThatThrownBy(() -> backbone.requireSize(96))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("torchscript:net.pt fails on an image of 96 px"
                            + " \\(RuntimeError: shape '.*' is invalid .*\\); give it images of the size .*");
        }
        assertThatThrownBy(() -> load(save(onlySixtyFour.replace("12", "13")), options, "a"))
                .hasMessageContaining("fails on an image of 64 px");
    }

    private Backbone load(Path file, BackboneOptions options, String... taps) throws IOException {
        return TorchScriptBackbone.load(
                file, "hash", new TorchScriptBackbone.Interface(List.of(taps), Normalisation.CAFFE, 64), options);
    }

    private Path save(String source) {
        JitModule module = new JitModule(new QualifiedName("Net"));
        module.register_parameter("first", first, false);
        module.register_parameter("second", second, false);
        module.define(source);
        Path file = folder.resolve("net.pt");
        module.save(file.toString());
        return file;
    }
}
