package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory of photographs without classes: the model only distinguishes known from unknown images. */
class OneClassTest {

    @TempDir
    static Path folder;

    private static Path good = Path.of("");
    private static Path run = Path.of("");
    private static String printed = "";

    @BeforeAll
    static void train_on_a_flat_directory() {
        DemoRun small = new DemoRun(folder, DemoRun.trained().weights());
        gramian("data", "demo", "--out", small.photos(), "--images", 30).succeeded();
        good = small.photos().resolve("stripes");
        run = small.run();
        printed = small.train(good, run, "--set", "stage1.epochs=0").succeeded().out();
    }

    @Test
    void training_prints_false_alarms_and_no_accuracy() {
        assertThat(printed)
                .startsWith("test: 6 images, called unknown: level 0.01 needs 100 training images, ")
                .contains(" at level 0.05, ", " at level 0.1")
                .doesNotContain("accuracy");
    }

    @Test
    void the_report_shows_false_alarms_and_no_accuracy() throws IOException {
        assertThat(Files.readString(run.resolve("report.html")))
                .contains(" · 1 class · ")
                .contains("of 6 test images are called unknown at the level 0.1, which are false alarms")
                .contains("<h3>Unknown images</h3>", "needs 100 training images")
                .doesNotContain("accuracy on", "Confusion matrix", "1 classes", "answer only above this");
    }

    @Test
    void predictions_show_the_novelty_and_no_certain_probability() throws IOException {
        Path other = good.resolveSibling("dots").resolve("000.png");
        assertThat(gramian("predict", run, other, "--quiet").succeeded().out())
                .matches("(?s).*: stripes \\(novelty 0\\.\\d{4}\\)\\s*");
        CommandRun unknown = gramian("predict", run, other, "--unknown", 0.99, "--top", 3, "--quiet");
        assertThat(unknown.out()).contains(": unknown (novelty 0.").doesNotContain("%");
        JsonNode line = Json.parse(gramian("predict", run, other, "--unknown", 0.99, "--format", "jsonl", "--quiet")
                .out());
        assertThat(line.get("class").asText()).isEqualTo("unknown");
        assertThat(line.has("probability")).isFalse();
    }

    @Test
    void another_directory_without_classes_is_evaluated_under_any_name() throws IOException {
        CommandRun all = gramian("evaluate", run, "--images", good.resolveSibling("dots"), "--quiet")
                .succeeded();
        assertThat(all.out())
                .startsWith("new: 30 images, called unknown: ")
                .contains("left out: 0 of 30 images")
                .doesNotContain("accuracy");
        JsonNode json =
                gramian("evaluate", run, "--images", good, "--json").succeeded().json();
        assertThat(json.get("images").asInt()).isEqualTo(6);
        assertThat(json.get("usedInTraining")).hasSize(24);
        assertThat(json.at("/calledUnknown/2/level").asDouble()).isEqualTo(0.1);
    }

    @Test
    void a_note_states_that_single_images_of_classes_recognise_few_unknown_images() throws IOException {
        Path tree = folder.resolve("tree");
        for (int i = 0; i < 5; i++) {
            for (String part : new String[] {"train", "test"}) {
                Path directory = Files.createDirectories(tree.resolve(part).resolve("part" + i));
                Files.copy(
                        good.resolve("00" + (part.equals("train") ? i : i + 5) + ".png"), directory.resolve("1.png"));
            }
        }
        Path single = folder.resolve("runs/single");
        new DemoRun(folder, DemoRun.trained().weights())
                .train(tree, single, "--set", "stage1.epochs=0")
                .succeeded();
        Path photo = good.resolve("011.png");
        assertThat(gramian("predict", single, photo, "--unknown", 0.3)
                        .succeeded()
                        .err())
                .contains("note: many classes of this model have a single training image");
        assertThat(gramian("predict", run, photo, "--unknown", 0.3).succeeded().err())
                .doesNotContain("note: many");
    }
}
