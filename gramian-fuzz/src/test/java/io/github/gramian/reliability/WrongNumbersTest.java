package io.github.gramian.reliability;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.check.FullForm;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainings with invalid values end with the cause, or in a model whose outputs are finite; never in one that outputs NaN. */
class WrongNumbersTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final List<String> CAUSES = List.of(
            "is NaN or infinite", "became NaN or infinite", "are NaN or infinite", "no image left", "not finite");

    @TempDir
    static Path folder;

    private static SmallRuns world = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void make_a_world() throws IOException {
        world = SmallRuns.tiny(folder.resolve("world"));
    }

    private CommandRun train(Path recipe, String name, String... settings) {
        List<Object> words = new ArrayList<>(
                List.of("train", recipe, "--out", folder.resolve(name), "--cache", folder.resolve("cache"), "--quiet"));
        Arrays.stream(settings).forEach(setting -> words.addAll(List.of("--set", setting)));
        return gramian(words.toArray());
    }

    /** Either one sentence with the cause, or probabilities for all images of a folder. */
    private void judge(CommandRun trained, String name, Path images, Path backbone) throws IOException {
        Path model = folder.resolve(name).resolve("model.gramian");
        if (trained.exitCode() != 0) {
            assertThat(trained.err()).hasLineCount(1).containsAnyOf(CAUSES.toArray(String[]::new));
            assertThat(model).doesNotExist();
            return;
        }
        assertThat(folder.resolve(name).resolve("scores.json")).content().doesNotContain("NaN");
        CommandRun predicted = gramian(
                        "predict",
                        model,
                        images,
                        "--backbone",
                        backbone,
                        "--trust-backbone-code",
                        "--format",
                        "jsonl",
                        "--quiet")
                .succeeded();
        assertThat(predicted.out()).doesNotContain("NaN", "Infinity").isNotEmpty();
        for (String line : predicted.out().lines().toList()) {
            JsonNode answer = JSON.readTree(line);
            assertThat(answer.toString()).contains("probability");
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"classifier", "bias", "convolution", "transform"})
    void rates_up_to_ten(String parameter) throws IOException {
        for (double rate : FullForm.isOn() ? new double[] {0.3, 1, 3, 10} : new double[] {10}) {
            for (String momentum : FullForm.isOn() ? List.of("0", "0.99") : List.of("0.99")) {
                String name = parameter + rate + "-" + momentum;
                CommandRun trained = train(
                        world.recipeFile(),
                        name,
                        "stage1.rates." + parameter + "=" + rate,
                        "stage1.momentum=" + momentum,
                        "stage1.epochs=6");
                judge(trained, name, world.manifest().resolveSibling("rows"), world.weights());
            }
        }
    }

    @Test
    void all_rates_at_ten() throws IOException {
        CommandRun trained = train(
                world.recipeFile(),
                "ten",
                "stage1.rates.classifier=10",
                "stage1.rates.bias=10",
                "stage1.rates.convolution=10",
                "stage1.rates.transform=10",
                "stage1.epochs=" + FullForm.rounds(30, 6));
        judge(trained, "ten", world.manifest().resolveSibling("rows"), world.weights());
    }

    /** The same world with other images. */
    private Path recipe(String name, List<String> lines, Path backbone) throws IOException {
        Path manifest = Files.write(folder.resolve(name).resolve("manifest.csv"), lines);
        return Files.writeString(
                folder.resolve(name + ".yaml"),
                Files.readString(world.recipeFile())
                        .replace(world.manifest().toString(), manifest.toString())
                        .replace(world.weights().toString(), backbone.toString()));
    }

    @Test
    void all_images_are_equal() throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < 6; i++) {
                String path = kind + "/" + i + ".png";
                SmallImages.draw(folder.resolve("equal").resolve(path), "rows", 1);
                lines.add(path + "," + kind + "," + (i < 4 ? "train" : "test"));
            }
        }
        CommandRun trained = train(recipe("equal", lines, world.weights()), "equal-run");
        judge(trained, "equal-run", folder.resolve("equal/rows"), world.weights());
    }

    @Test
    void one_image_a_class() throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (String kind : SmallRuns.CLASSES) {
            SmallImages.draw(folder.resolve("few").resolve(kind + ".png"), kind, 1);
            lines.add(kind + ".png," + kind + ",train");
        }
        SmallImages.draw(folder.resolve("few/test.png"), "rows", 2);
        lines.add("test.png,rows,test");
        for (String validation : List.of("0.25", "0")) {
            String name = "few-" + validation;
            CommandRun trained = train(recipe("few", lines, world.weights()), name, "data.validation=" + validation);
            judge(trained, name, folder.resolve("few"), world.weights());
        }
    }

    @Tag("long")
    @Test
    void a_thousand_classes() throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        int classes = FullForm.rounds(1000, 100);
        for (int label = 0; label < classes; label++) {
            for (int i = 0; i < 3; i++) {
                String path = label + "/" + i + ".png";
                SmallImages.draw(folder.resolve("many").resolve(path), SmallRuns.CLASSES.get(label % 3), 3 * label + i);
                lines.add(path + "," + label + "," + (i < 2 ? "train" : "test"));
            }
        }
        CommandRun trained =
                train(recipe("many", lines, world.weights()), "many-run", "data.validation=0.5", "stage1.epochs=1");
        judge(trained, "many-run", folder.resolve("many/7"), world.weights());
    }

    @Test
    void a_torchscript_backbone_outputs_nan() throws IOException {
        Path backbone = folder.resolve("nan.pt");
        SmallRuns.writeBackbone(backbone, """
                def forward(self, x):
                    a = torch.relu(torch.conv2d(x, self.first, None, [2, 2], [1, 1]))
                    return torch.log(torch.mean(x) - 100.0) * torch.relu(torch.conv2d(a, self.second, None, [2, 2], [1, 1]))
                """);
        Path recipe = Files.writeString(
                folder.resolve("nan.yaml"),
                Files.readString(world.recipeFile()).replace(world.weights().toString(), backbone.toString()));
        CommandRun trained = train(recipe, "nan-run");
        assertThat(trained.exitCode()).isNotZero();
        assertThat(trained.err()).hasLineCount(1).contains("the backbone's features", "NaN or infinite");
        assertThat(folder.resolve("nan-run/model.gramian")).doesNotExist();
    }

    /** A backbone that is sound in training and not afterwards: an image without an answer is named, with its cause. */
    @Test
    void a_backbone_outputs_nan_for_some_images_only() throws IOException {
        Path backbone = folder.resolve("some.pt");
        SmallRuns.writeBackbone(backbone, """
                def forward(self, x):
                    a = torch.relu(torch.conv2d(x, self.first, None, [2, 2], [1, 1]))
                    return torch.sqrt(torch.sign(torch.std(x) - 0.2)) * torch.relu(torch.conv2d(a, self.second, None, [2, 2], [1, 1]))
                """);
        Path recipe = Files.writeString(
                folder.resolve("some.yaml"),
                Files.readString(world.recipeFile()).replace(world.weights().toString(), backbone.toString()));
        train(recipe, "some-run").succeeded();
        Path blank = folder.resolve("blank/white.png");
        Files.createDirectories(blank.getParent());
        javax.imageio.ImageIO.write(
                new java.awt.image.BufferedImage(64, 64, java.awt.image.BufferedImage.TYPE_INT_RGB),
                "png",
                blank.toFile());
        CommandRun predicted = gramian(
                "predict",
                folder.resolve("some-run/model.gramian"),
                blank,
                "--backbone",
                backbone,
                "--trust-backbone-code",
                "--quiet");
        assertThat(predicted.exitCode()).as(predicted.out() + predicted.err()).isNotZero();
        assertThat(predicted.out() + predicted.err()).contains("NaN or infinite");
    }
}
