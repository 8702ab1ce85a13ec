package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.bench.BenchTrainingCommand.TrainingBenchmark;
import io.github.gramian.bench.BenchTrainingCommand.TrainingBenchmark.Comparison;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;
import javax.imageio.ImageIO;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("speed") // once, on one JDK
class TrainingBenchmarkTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    @TempDir
    private Path folder;

    @Test
    void both_stages_and_predictions_are_compared_with_their_baselines() throws IOException {
        Path file = folder.resolve("grey.jpg");
        ImageIO.write(new BufferedImage(300, 260, BufferedImage.TYPE_BYTE_GRAY), "jpg", file.toFile());
        long start = System.nanoTime();
        TrainingBenchmark.Result result = new TrainingBenchmark(4, 1, 1, Precision.BFLOAT16).run(List.of(file), folder);
        double wholeSeconds = 1e-9 * (System.nanoTime() - start);
        List<Comparison> found = List.of(result.stage1(), result.stage2(), result.predictions());
        assertThat(found).extracting(Comparison::batch).containsExactly(4, 2, 2);
        double toldSeconds = found.stream()
                .mapToDouble(one -> one.images() / one.imagesPerSecond() + one.images() / one.baselinePerSecond())
                .sum();
        assertThat(toldSeconds)
                .as("time according to the rates, as a fraction of the time that passed")
                .isBetween(0.02 * wholeSeconds, wholeSeconds);
        // A picture without detail and a single round: far from exact, but of the right order.
        assertThat(found).allSatisfy(one -> assertThat(one.ratio()).isBetween(0.05, 5.0));
    }

    @Test
    void without_images_there_is_nothing_to_measure() {
        assertThatThrownBy(() -> new TrainingBenchmark(2, 1, 1, Precision.BFLOAT16).stage1(List.of(), folder))
                .hasMessageContaining("at least one");
        assertThatThrownBy(() -> new TrainingBenchmark(1, 1, 1, Precision.BFLOAT16))
                .hasMessageContaining("at least 2 images");
    }

    /** A baseline that does less than ours would be unfair to ours, one that does more would flatter it. */
    @Test
    void the_bare_loop_trains_the_same_weights_as_stage_2() {
        BackboneConfig config = new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 0);
        BackboneOptions learning = BackboneOptions.frozen(Precision.BFLOAT16).trainableFrom("res5a");
        StageConfig stage = Recipe.standard().stage2();
        try (Scope scope = Scope.open();
                ConvolutionalBackbone ours = ConvolutionalBackbone.random(config, new Seed(1), learning);
                Network network = new Network(Recipe.standard().network(), List.of(2048), 2, FLOAT, new Seed(1));
                BareFineTuning bare = new BareFineTuning(network, stage, Precision.BFLOAT16)) {
            assertThat(shapes(bare.learning()))
                    .isEqualTo(shapes(ours.parameters().values()));
            List<Tensor> before = bare.learning().stream()
                    .map(weight -> weight.detach().clone())
                    .toList();
            Tensor images = new Seed(2).normal(FLOAT, 2, 3, 224, 224);
            Tensor labels = HostCopy.labels(new int[] {0, 1}, FLOAT);
            double first = bare.step(images, labels); // the classifier starts from zeros and sends nothing back
            bare.step(images, labels);
            assertThat(bare.step(images, labels)).isLessThan(first);
            for (int i = 0; i < before.size(); i++) {
                Tensor moved = bare.learning().get(i).detach().sub(before.get(i));
                assertThat(moved.norm().item_double()).as("weight %d", i).isPositive();
            }
        }
    }

    private static List<List<Long>> shapes(Collection<Tensor> tensors) {
        return tensors.stream()
                .map(tensor -> LongStream.range(0, tensor.dim())
                        .map(tensor::size)
                        .boxed()
                        .toList())
                .toList();
    }
}
