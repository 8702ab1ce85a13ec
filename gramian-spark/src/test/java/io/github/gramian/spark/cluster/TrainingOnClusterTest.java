package io.github.gramian.spark.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.spark.Fixtures;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two executors train together on a real cluster; three minutes on two cores. */
@Tag("long")
class TrainingOnClusterTest {

    private static final int IMAGES = 48;

    @TempDir
    Path folder;

    @Test
    void a_training_that_lost_an_executor_ends_with_the_weights_of_an_uninterrupted_one() throws Exception {
        Path recipe = recipe("images");
        try (LoopbackCluster cluster = LoopbackCluster.start(Files.createDirectories(folder.resolve("spark")), 2)) {
            Process broken = train(cluster, recipe, "broken");
            RunFolder run = new RunFolder(folder.resolve("broken"));
            LoopbackCluster.await("the second epoch", () -> {
                assertThat(broken.isAlive()).as("%s", cluster.log("broken")).isTrue();
                return epochs(run) >= 2;
            });
            cluster.executors().get(0).destroyForcibly();
            assertEnd(cluster, broken, "broken", 0);
            assertThat(cluster.log("broken")).contains("continue from the last checkpoint, start 2 of at most 4");

            assertEnd(cluster, train(cluster, recipe, "unbroken"), "unbroken", 0);
            assertThat(weights("broken")).isEqualTo(weights("unbroken"));

            assertEnd(cluster, train(cluster, recipe("nowhere"), "wrong"), "wrong", 1);
            assertThat(cluster.log("wrong"))
                    .contains("nowhere")
                    .as("an error that a restart would not fix is not tried again")
                    .doesNotContain("continue from the last checkpoint");
        }
    }

    private Path recipe(String images) throws IOException {
        Path weights = folder.resolve("tiny.safetensors");
        if (!Files.exists(weights)) {
            Fixtures.images(folder.resolve("images"), IMAGES);
            WeightsFile.writeRandom(
                    weights, new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), new Seed(1));
        }
        Path file = folder.resolve(images + ".yaml");
        Files.writeString(file, """
                data: {images: '%s', validation: 0.25}
                backbone: {weights: '%s', precision: float}
                views: {margin: 1}
                network: {branches: [{tap: res5b, size: 48, convolution: 8, aggregator: {transforms: [{outputDim: 4}]}}]}
                stage1: {epochs: 20, batch: 6, keep: last}
                refit: never
                """.formatted(folder.resolve(images), weights));
        return file;
    }

    private Process train(LoopbackCluster cluster, Path recipe, String name) throws IOException {
        return cluster.submit(
                name,
                Map.of(),
                "train",
                recipe.toString(),
                "--out",
                folder.resolve(name).toString(),
                "--processes",
                "2",
                "--checkpoint-seconds",
                "0");
    }

    private static void assertEnd(LoopbackCluster cluster, Process driver, String log, int code) throws Exception {
        assertThat(driver.waitFor(5, TimeUnit.MINUTES))
                .as("%s", cluster.log(log))
                .isTrue();
        assertThat(driver.exitValue()).as("%s", cluster.log(log)).isEqualTo(code);
    }

    private static long epochs(RunFolder run) {
        try {
            List<String> lines = Files.exists(run.events()) ? Files.readAllLines(run.events()) : List.of();
            return lines.stream()
                    .filter(line -> line.contains("\"event\":\"epoch\""))
                    .count();
        } catch (IOException e) {
            return 0;
        }
    }

    private String weights(String name) throws IOException {
        try (StoredModel file = StoredModel.open(new RunFolder(folder.resolve(name)).model())) {
            file.verify();
            return file.weightsHash();
        }
    }
}
