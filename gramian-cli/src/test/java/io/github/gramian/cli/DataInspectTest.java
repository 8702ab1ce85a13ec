package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class DataInspectTest {

    @TempDir
    Path root;

    private static CommandRun inspect(Path root, String... more) {
        List<Object> words = new ArrayList<>(List.of("data", "inspect", "--root", root));
        words.addAll(List.of(more));
        return gramian(words.toArray());
    }

    private void image(String path, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        BufferedImage image = new BufferedImage(20, 10, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 200; i++) {
            image.setRGB(i % 20, i / 20, random.nextInt(1 << 24));
        }
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        ImageIO.write(image, "png", file.toFile());
    }

    /** Four images each of two classes; one of the test images is a training image too. */
    private void leakingTree() throws IOException {
        for (int i = 0; i < 4; i++) {
            String part = i < 2 ? "train" : i == 2 ? "val" : "test";
            image(part + "/ant/" + i + ".png", i);
            image(part + "/bee/" + i + ".png", 10 + i);
        }
        image("test/bee/again.png", 10);
        Files.write(root.resolve("test/bee/empty.png"), new byte[0]);
    }

    @Test
    void json_has_counts_sizes_broken_files_and_leaks() throws IOException {
        leakingTree();
        CommandRun outcome = inspect(root, "--json");
        assertThat(outcome.exitCode()).isZero();
        JsonNode json = outcome.json();
        assertThat(json.at("/dataset").asText()).isEqualTo("tree");
        assertThat(json.at("/classes").asInt()).isEqualTo(2);
        assertThat(json.at("/images").asInt()).isEqualTo(10);
        assertThat(json.at("/counts")).hasToString("{\"train\":4,\"val\":2,\"test\":4}");
        assertThat(json.at("/perClass/1/name").asText()).isEqualTo("bee");
        assertThat(json.at("/perClass/1/counts/test").asInt()).isEqualTo(3);
        assertThat(json.at("/sizes/width")).hasToString("{\"min\":20,\"median\":20,\"max\":20}");
        assertThat(json.at("/broken").asInt()).isEqualTo(1);
        assertThat(json.at("/brokenFiles/0/path").asText()).isEqualTo("test/bee/empty.png");
        assertThat(json.at("/brokenFiles/0/reason").asText()).isEqualTo("EMPTY");
        assertThat(json.at("/duplicates/exact/0/leaks").asBoolean()).isTrue();
        assertThat(json.at("/leakage/exact").asInt()).isEqualTo(1);
        assertThat(json.at("/leakage/near").asInt()).isZero();
        assertThat(json.at("/twins")).hasToString("{\"training\":[\"test/bee/again.png\"],\"validation\":[]}");
        assertThat(json.at("/passport/contentHash").asText()).hasSize(64);
        assertThat(json.at("/passport/backbone").isNull()).isTrue();
    }

    @Test
    void the_page_is_for_people() throws IOException {
        leakingTree();
        assertThat(inspect(root).out())
                .contains("splits       4 train, 2 val, 4 test")
                .contains("width        20 to 20 px, median 20")
                .contains("twins        1 of 4 test images with the same bytes as a training image (1) or a validation"
                        + " image (0)")
                .contains("class   train     val    test")
                .contains("bee         2       1       3")
                .contains("test/bee/empty.png  the file has no bytes")
                .contains("  test/bee/again.png  train/bee/0.png");
    }

    @Test
    void demo_images_are_drawn_and_can_be_inspected() throws IOException {
        Path demo = root.resolve("demo");
        assertThat(gramian("data", "demo", "--out", demo, "--images", 3).exitCode())
                .isZero();
        JsonNode json = inspect(demo, "--json").json();
        assertThat(json.at("/classes").asInt()).isEqualTo(3);
        assertThat(json.at("/images").asInt()).isEqualTo(9);
        gramian("data", "demo", "--out", root.resolve("none"), "--images", -1)
                .refused(2, "--images must be at least 1 but is -1");
        assertThat(json.at("/broken").asInt()).isZero();
    }

    @Test
    void strict_fails_only_on_broken_files_and_leaks() throws IOException {
        leakingTree();
        assertThat(inspect(root, "--strict").exitCode()).isEqualTo(1);
        Files.delete(root.resolve("test/bee/empty.png"));
        assertThat(inspect(root, "--strict").exitCode()).isEqualTo(1);
        Files.delete(root.resolve("test/bee/again.png"));
        assertThat(inspect(root, "--strict").exitCode()).isZero();
    }

    @Test
    void long_lists_are_cut_on_the_page() throws IOException {
        leakingTree();
        for (int i = 0; i < 30; i++) {
            Files.write(root.resolve("train/ant/x" + i + ".png"), new byte[0]);
        }
        assertThat(inspect(root).out()).contains("… and 11 more; --json lists all");
    }

    @Test
    void protocol_seed_and_validation_determine_the_split() throws IOException {
        for (int i = 0; i < 10; i++) {
            image("ant/" + i + ".png", i);
            image("bee/" + i + ".png", 100 + i);
        }
        JsonNode json = inspect(root, "--validation", "0.25", "--seed", "7", "--split", "2", "--json")
                .json();
        assertThat(json.at("/counts")).hasToString("{\"train\":12,\"val\":4,\"test\":4}");
        assertThat(json.at("/passport/split").asText()).isEqualTo("2 of seed 7");
        json = inspect(root, "--dataset", "folders", "--protocol", "paper", "--split", "3", "--json")
                .json();
        assertThat(json.at("/counts")).hasToString("{\"train\":14,\"val\":0,\"test\":6}");
        assertThat(json.at("/passport/protocol").asText()).isEqualTo("paper (3-fold, val kept)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--dataset dtd      | no directory images/",
                "--dataset imagenet | use one of dtd",
                "--protocol new     | has no protocol 'new'",
                "--split 0          | split must be 1 or more",
                "--validation 2     | between 0 and 1",
                "--threads 0        | threads must be at least 1"
            })
    void wrong_input_is_one_line_with_advice_and_exit_code_2(String options, String message) throws IOException {
        image("ant/1.png", 1);
        image("ant/2.png", 2);
        CommandRun outcome = inspect(root, options.split(" ", -1));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err().strip())
                .startsWith("gramian: ")
                .contains(message)
                .hasLineCount(1);
        assertThat(outcome.out()).isEmpty();
    }

    @Test
    void missing_options_and_commands_are_usage_errors() {
        assertThat(gramian("data", "inspect").exitCode()).isEqualTo(2);
        assertThat(gramian("data").exitCode()).isEqualTo(2);
        assertThat(gramian("data").err()).contains("missing subcommand; available: inspect, check, demo");
        assertThat(gramian("data", "inspect", "--help").out()).contains("--protocol");
    }

    @ParameterizedTest
    @CsvSource({
        "dtd, dtd, 45, 1797, 1797, 1794",
        "cub20, cub, 20, 600, 0, 585",
        "kth-tips-grey, kth-tips, 10, 400, 0, 410"
    })
    void real_datasets_are_reported_as_their_authors_count_them(
            String folder, String dataset, int classes, int train, int validation, int test) throws IOException {
        Path shared = Path.of(System.getProperty("gramian.data", "../../shared/data"), folder);
        assumeTrue(Files.isDirectory(shared), "no " + folder + " here");
        JsonNode json =
                inspect(shared, "--dataset", dataset, "--split", "1", "--json").json();
        assertThat(json.at("/classes").asInt()).isEqualTo(classes);
        assertThat(json.at("/images").asInt()).isEqualTo(train + validation + test);
        assertThat(json.at("/counts"))
                .hasToString("{\"train\":" + train + ",\"val\":" + validation + ",\"test\":" + test + "}");
        assertThat(json.at("/broken").asInt()).isZero();
    }
}
