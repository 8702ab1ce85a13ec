package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.check.FullForm;
import io.github.gramian.check.Needs;
import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A program in Python that was written only from docs/model-format.md computes what we compute.
 */
@Tag("slow")
@Needs({Tool.TORCH, Tool.PILLOW})
class ModelFormatTest {

    /** Both compute in float, each with its own convolutions: a few units in the last place of VGG-16's features. */
    private static final double SAME = 3e-5;

    private static final Path PROGRAM = Path.of("src", "test", "python", "model_format.py");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path folder;

    private static String python = "";
    private static List<Path> images = List.of();

    /** Models that between them use what the page describes most often; weights are random, the networks are real. */
    enum Trained {
        /** The same as the next, small enough for every build. */
        RESNET18(Architecture.RESNET18, twoSizes("res5b", "res4b")),
        /** Two sizes, the larger first; a transformation with ReLU; averages in addition. */
        RESNET50(Architecture.RESNET50, twoSizes("res5c", "res4f")),
        /** Several views, a margin that is not a whole number of pixels, centred maps. */
        VGG16(Architecture.VGG16, """
                views: {margin: 1.15, test: five}
                network:
                  branches:
                    - tap: conv5_3
                      size: 64
                      convolution: 16
                      rectify: false
                      aggregator: {aggregation: {kernel: rbf, mapCentring: true}}
                      descriptor: {powerEpsilon: 0.001, centringMomentum: 0.1}
                """);

        private final Architecture architecture;
        private final String recipe;

        Trained(Architecture architecture, String recipe) {
            this.architecture = architecture;
            this.recipe = recipe;
        }

        private static String twoSizes(String large, String small) {
            return """
                views: {margin: 1.1, test: centre}
                network:
                  branches:
                    - tap: %s
                      size: 96
                      convolution: 24
                      rectify: true
                      aggregator: {aggregation: {kernel: rbf}, transforms: [{outputDim: 12, activation: relu}]}
                      descriptor: {powerEpsilon: 0.001, centringMomentum: 0.1}
                    - {tap: %s, size: 64, convolution: 0, aggregator: {kind: average}, descriptor: {powerEpsilon: -1}}
                """.formatted(large, small);
        }

        Path model() throws IOException {
            Path weights = folder.resolve(name() + ".safetensors");
            WeightsFile.writeRandom(weights, new BackboneConfig(architecture, Variant.TORCHVISION, 0), new Seed(1));
            Path written = Files.writeString(folder.resolve(name() + ".yaml"), recipe);
            Path run = folder.resolve(name());
            gramian(
                            "train",
                            written,
                            "--images",
                            folder.resolve("photos"),
                            "--backbone",
                            weights,
                            "--out",
                            run,
                            "--quiet",
                            "--set",
                            "backbone.precision=float",
                            "--set",
                            "stage1.epochs=1")
                    .succeeded();
            return new RunFolder(run).model();
        }
    }

    @BeforeAll
    static void find_python_and_draw_images() throws IOException {
        python = PythonProgram.find(List.of(Tool.TORCH, Tool.PILLOW)).orElseThrow();
        gramian("data", "demo", "--out", folder.resolve("photos"), "--images", 8)
                .succeeded();
        images = oddImages(folder.resolve("odd"), FullForm.rounds(10, 4));
    }

    /** Sizes for which every rounding matters, in grey, colour and with a palette; and a photograph. */
    private static List<Path> oddImages(Path folder, int count) throws IOException {
        int[] types = {
            BufferedImage.TYPE_INT_RGB,
            BufferedImage.TYPE_BYTE_GRAY,
            BufferedImage.TYPE_INT_ARGB,
            BufferedImage.TYPE_BYTE_INDEXED
        };
        Files.createDirectories(folder);
        Random random = new Random(7);
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // The last is a photograph that is reduced while it is decoded, differently for each size of a network.
            int larger = i == count - 1 ? 6 : 1;
            BufferedImage image = new BufferedImage(
                    larger * (100 + random.nextInt(150)),
                    larger * (100 + random.nextInt(150)),
                    larger > 1 ? BufferedImage.TYPE_INT_RGB : types[i % types.length]);
            double slant = random.nextDouble();
            for (int y = 0; y < image.getHeight(); y++) {
                for (int x = 0; x < image.getWidth(); x++) {
                    int wave = (int) (127 + 80 * Math.sin(0.2 * (x * slant + y)) + random.nextInt(40));
                    image.setRGB(x, y, 0xFF000000 | wave << 16 | (255 - wave) << 8 | (x + i) % 256);
                }
            }
            Path file = folder.resolve("odd-" + i + (larger > 1 ? ".jpg" : ".png"));
            ImageIO.write(image, larger > 1 ? "jpg" : "png", file.toFile());
            files.add(file);
        }
        return files;
    }

    private static int run(Path output, String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(10, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
            return process.waitFor();
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    private static List<JsonNode> ofPython(Object... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(python, PROGRAM.toString()));
        for (Object word : words) {
            command.add(word.toString());
        }
        Path output = folder.resolve("python.jsonl");
        assertThat(run(output, command.toArray(String[]::new))).isZero();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(output)) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    /** The given words, then all images. */
    private static Object[] andImages(Object... words) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(images);
        return all.toArray();
    }

    /** The first, and with -Dgramian.test.full=true all of them. */
    static Stream<Trained> models() {
        return Arrays.stream(Trained.values()).limit(FullForm.rounds(Trained.values().length, 1));
    }

    @ParameterizedTest
    @MethodSource("models")
    void python_computes_the_same_from_the_page(Trained trained) throws IOException {
        Path model = trained.model();
        List<JsonNode> expected = compareProbabilities(model);
        if (FullForm.isOn()) {
            compareProbabilities(model, "--crops", "whole");
        }
        Path file = folder.resolve(trained + ".f32");
        gramian(andImages("describe", "--quiet", "--precision", "float", "--out", file, model))
                .succeeded();
        FloatBuffer descriptors = ByteBuffer.wrap(Files.readAllBytes(file))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
        for (JsonNode line : expected) {
            for (JsonNode number : line.path("descriptor")) {
                assertThat(descriptors.get()).isCloseTo((float) number.asDouble(), within(1e-5f));
            }
        }
        assertThat(descriptors.hasRemaining()).isFalse();
    }

    /** Returns what Python has computed. */
    private static List<JsonNode> compareProbabilities(Path model, Object... crops) throws IOException {
        List<Object> ours = new ArrayList<>(
                List.of("predict", "--format", "jsonl", "--top", 3, "--quiet", "--precision", "float", model));
        List<Object> theirs = new ArrayList<>(List.of(model));
        ours.addAll(List.of(crops));
        theirs.addAll(List.of(crops));
        List<String> answers =
                gramian(andImages(ours.toArray())).succeeded().out().lines().toList();
        List<JsonNode> expected = ofPython(andImages(theirs.toArray()));
        assertThat(answers).hasSameSizeAs(images).hasSameSizeAs(expected);
        for (int i = 0; i < answers.size(); i++) {
            JsonNode probabilities = expected.get(i).path("probabilities");
            assertThat(probabilities).hasSize(3);
            for (JsonNode one : JSON.readTree(answers.get(i)).path("top")) {
                assertThat(one.path("probability").asDouble())
                        .as(images.get(i).getFileName() + ", " + one.path("class"))
                        .isCloseTo(
                                probabilities.path(one.path("class").asText()).asDouble(-1), within(SAME));
            }
        }
        return expected;
    }

    @Test
    void the_gradients_of_the_page_are_those_of_autograd() throws IOException {
        for (JsonNode error : ofPython("--gradients").get(0)) {
            assertThat(error.asDouble()).isLessThan(1e-12);
        }
    }
}
