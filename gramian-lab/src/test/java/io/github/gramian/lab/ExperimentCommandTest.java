package io.github.gramian.lab;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.CommandRun;
import io.github.gramian.cli.DemoRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExperimentCommandTest {

    @TempDir
    static Path folder;

    private static DemoRun small = new DemoRun(Path.of(""), Path.of(""));

    @BeforeAll
    static void make_data() throws IOException {
        small = DemoRun.in(folder);
        Files.writeString(grid(), """
                name: small
                title: A small grid
                datasets:
                  photos: {images: photos, seeds: [1, 2]}
                common:
                  backbone: {precision: float}
                  network: {branches: [{tap: res5b, size: 64, convolution: 0, rectify: false}]}
                  stage1: {epochs: 0}
                methods:
                  average: {label: Average pooling, recipe: {network: {branches: [{aggregator: average}]}}}
                  kernel: {label: RBF kernel, recipe: {network: {branches: [{convolution: 16}]}}}
                """);
    }

    private static Path grid() {
        return folder.resolve("grid.yaml");
    }

    private static CommandRun experiment(Path out, Object... more) {
        Object[] words = new Object[8 + more.length];
        Object[] common = {"experiment", grid(), "--data", folder, "--backbone", small.weights(), "--out", out};
        System.arraycopy(common, 0, words, 0, 8);
        System.arraycopy(more, 0, words, 8, more.length);
        return gramian(words);
    }

    @Test
    void a_grid_runs_shows_how_far_it_is_and_skips_what_is_done() throws IOException {
        Path out = folder.resolve("results");
        CommandRun first = experiment(out, "--only", "average").succeeded();
        assertThat(first.err())
                .contains("A small grid", "2 runs to do, 0 done before", "run 1 of 2: photos/average/s1-r1")
                .containsPattern("run 2 of 2, \\d+ s left: photos/average/s1-r2");
        assertThat(first.out()).contains("2 of 2 runs have results");
        CommandRun second = experiment(out, "--json").succeeded();
        assertThat(second.json().path("done").asInt()).isEqualTo(4);
        assertThat(out.resolve("photos/kernel/s1-r2.json")).exists();
        assertThat(out.resolve("runs")).doesNotExist();

        CommandRun printed = gramian("tables", out).succeeded();
        assertThat(printed.out())
                .contains(
                        "## photos",
                        "| Average pooling | 64 | 2 splits |",
                        "| RBF kernel | 136 | 2 splits |",
                        "All 4 runs")
                .contains("**reference**", "± over 2 splits")
                .doesNotContain("NaN", "null");
        Path page = folder.resolve("page");
        gramian("tables", out, "--against", "kernel", "--out", page).succeeded();
        assertThat(page.resolve("README.md"))
                .content()
                .containsPattern("RBF kernel \\| 136 \\| 2 splits \\| [^|]* \\| [^|]* \\| \\*\\*reference");
        assertThat(page.resolve("photos.md"))
                .content()
                .contains("| RBF kernel |")
                .doesNotContain("NaN", "null");
        assertThat(page.resolve("photos.svg")).content().contains("<svg", "RBF kernel", "</svg>");
        gramian("tables", out, "--against", "kernle").refused(2, "kernle", "kernel");
    }

    @Test
    void a_dry_run_lists_what_would_run() throws IOException {
        CommandRun listed = experiment(folder.resolve("nothing"), "--dry-run", "--seeds", "2")
                .succeeded();
        assertThat(listed.out().lines())
                .containsExactly("photos/average/s1-r2", "photos/kernel/s1-r2", "2 to do, 0 done");
        assertThat(folder.resolve("nothing")).doesNotExist();
    }

    @Test
    void a_method_that_the_grid_does_not_have_is_named() {
        experiment(folder.resolve("nothing"), "--only", "kernle").refused(2, "kernle", "did you mean 'kernel'");
    }

    @Test
    void a_failed_run_is_reported_and_changes_the_exit_code() throws IOException {
        Path wrong = folder.resolve("wrong.yaml");
        Files.writeString(wrong, Files.readString(grid()).replace("tap: res5b", "tap: res9z"));
        CommandRun run = gramian(
                "experiment",
                wrong,
                "--data",
                folder,
                "--backbone",
                small.weights(),
                "--out",
                folder.resolve("failing"),
                "--only",
                "average",
                "--quiet");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("failed: photos/average/s1-r1", "res9z", "0 of 2 runs have results");
    }
}
