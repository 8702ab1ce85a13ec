package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataCheckTest {

    @TempDir
    static Path folder;

    private static DemoRun small = new DemoRun(Path.of(""), Path.of(""));

    private static String given = "";
    private static String wrong = "";

    /** Moves one image into another class, copies one within its class, and adds a black one and a broken one. */
    @BeforeAll
    static void make_data() throws IOException {
        small = DemoRun.in(folder);
        List<Path> classes;
        try (Stream<Path> directories = Files.list(small.photos())) {
            classes = directories.filter(Files::isDirectory).sorted().toList();
        }
        List<Path> first = images(classes.get(0));
        given = classes.get(1).getFileName().toString();
        wrong = given + "/moved.png";
        Files.move(first.get(0), classes.get(1).resolve("moved.png"));
        Files.copy(first.get(1), classes.get(0).resolve("twin.png"));
        ImageIO.write(
                new BufferedImage(200, 200, BufferedImage.TYPE_INT_RGB),
                "png",
                classes.get(0).resolve("black.png").toFile());
        Files.writeString(classes.get(0).resolve("broken.png"), "no image");
    }

    private static List<Path> images(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    private static CommandRun check(Object... more) {
        List<Object> words = new ArrayList<>(List.of(
                "data",
                "check",
                "--images",
                small.photos(),
                "--backbone",
                small.weights(),
                "--cache",
                folder.resolve("features")));
        // Weights are random, so only the first layers tell dots from stripes.
        for (String setting : List.of("tap=res2a", "size=64", "convolution=8")) {
            words.addAll(List.of("--set", "network.branches.0." + setting));
        }
        words.addAll(List.of(more));
        return gramian(words.toArray());
    }

    @Test
    void a_moved_image_a_copy_a_black_image_and_a_broken_file_are_found() throws IOException {
        Path page = folder.resolve("check.html");
        JsonNode found = check("--json", "--out", page).succeeded().json();
        assertThat(found.path("suspects")).anySatisfy(suspect -> {
            assertThat(suspect.path("file").asText()).isEqualTo(wrong);
            assertThat(suspect.path("given").asText()).isEqualTo(given);
            assertThat(suspect.path("suggested").asText()).isNotEqualTo(given);
            assertThat(suspect.path("score").asDouble()).isBetween(0.5, 1.0);
        });
        assertThat(found.path("duplicates").get(0).path("files").toString()).contains("twin.png");
        assertThat(found.path("quality").findValuesAsText("problem")).contains("blank");
        assertThat(found.path("broken").findValuesAsText("path").toString()).contains("broken.png");
        assertThat(found.path("imbalance").path("ratio").asDouble()).isGreaterThan(1);
        assertThat(found.has("outliers")).isTrue();
        assertThat(found.has("leaks")).isTrue();
        assertThat(page)
                .content()
                .contains("Suspicious labels", wrong, "data:image/jpeg")
                .doesNotContain("http://", "https://", "<script");
    }

    @Test
    void suspicious_labels_are_printed_as_csv_and_as_text() {
        assertThat(check("--csv").succeeded().out().lines())
                .startsWith("file,given,suggested,score")
                .anyMatch(line -> line.startsWith(wrong + "," + given + ","));
        assertThat(check().succeeded().out())
                .contains("suspicious labels: ", wrong + "  is labelled " + given, "equal files", "balance: ");
    }

    @Test
    void formats_that_exclude_each_other_are_refused() {
        check("--json", "--csv").refused(2, "--json or --csv, not both");
    }
}
