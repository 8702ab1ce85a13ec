package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SearchCommandTest {

    @TempDir
    static Path folder;

    private static DemoRun small = new DemoRun(Path.of(""), Path.of(""));

    @BeforeAll
    static void make_data() throws IOException {
        small = DemoRun.in(folder);
        Files.writeString(folder.resolve("space.yaml"), """
            name: small
            title: A small <space>
            common: {stage1: {epochs: 0}, backbone: {precision: float}}
            inputs:
              near: {label: 64 px, branches: [{tap: last, size: 64}]}
            heads:
              average: {label: Average pooling, branches: [{convolution: 0, aggregator: average}]}
              kernel: {label: Kernel & more, branches: [{convolution: 8, aggregator: spd}]}
            """);
    }

    private static CommandRun search(Path out, Object... more) {
        List<Object> words = new ArrayList<>(
                List.of("search", "--images", small.photos(), "--backbone", small.weights(), "--out", out, "--space"));
        words.add(folder.resolve("space.yaml"));
        words.addAll(List.of(more));
        return gramian(words.toArray());
    }

    @Test
    void a_search_shows_a_leaderboard_and_leaves_a_run_that_predicts() throws IOException {
        Path out = folder.resolve("runs/best");
        CommandRun run = search(out, "--minutes", 5).succeeded();
        assertThat(run.err()).contains("Average pooling, 64 px on ", "accuracy", "ms/image", "dimensions");
        assertThat(run.out()).containsPattern("searched for .*, .* with the training");
        assertThat(run.out()).contains("chosen: ", "test: ", "leaderboard.html", "kernel@near");
        assertThat(out.resolve("report.html")).exists();
        assertThat(out.resolve("leaderboard.html"))
                .content()
                .contains("A small &lt;space&gt;", "Kernel &amp; more", "data-draw=\"front\"", "chosen")
                .doesNotContain("http://", "https://", "NaN");
        gramian("predict", out, small.photos()).succeeded();
        gramian("report", out).succeeded();
        CommandRun again = search(out, "--minutes", 5, "--json").succeeded();
        assertThat(again.json().path("candidates").asInt()).isEqualTo(2);
        assertThat(again.json().path("accuracy").isNull()).isTrue();
    }

    @Test
    void a_robust_search_reports_accuracies_on_corrupted_images() throws IOException {
        Path out = folder.resolve("runs/robust");
        CommandRun run =
                search(out, "--trials", 1, "--objective", "robust", "--json").succeeded();
        assertThat(run.json().path("objective").asText()).isEqualTo("robust");
        assertThat(out.resolve("leaderboard.html"))
                .content()
                .contains("on corrupted copies of left-out training images");
    }

    @Test
    void wrong_input_is_reported_in_one_line() {
        Path out = folder.resolve("runs/none");
        search(out, "--minutes", 5, "--trials", 3).refused(2, "--minutes or --trials");
        search(out, "--minutes", 0).refused(2, "above 0");
        search(out, "--set", "network.logitscale=3").refused(2, "logitScale");
        assertThat(out).doesNotExist();
    }
}
