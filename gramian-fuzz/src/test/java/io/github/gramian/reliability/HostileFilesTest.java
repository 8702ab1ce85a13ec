package io.github.gramian.reliability;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.gramian.check.FullForm;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Damaged files, many files and long paths: a command ends in time, with a result or with sentences for people. */
@Tag("slow")
class HostileFilesTest {

    private static final int FLIPS = FullForm.rounds(1000, 10);
    private static final int FILES = FullForm.rounds(50_000, 2_000);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    static Path folder;

    private static SmallRuns world = SmallRuns.existing(Path.of(""));
    private static Path onnx = Path.of("");

    @BeforeAll
    static void make_a_world() throws IOException {
        world = SmallRuns.tiny(folder.resolve("world"));
        Path model = SmallModels.write(
                folder.resolve("model.gramian"), new NetworkConfig(List.of(BranchConfig.kernel("res2a", 32, 6, 3)), 5));
        onnx = folder.resolve("model.onnx");
        gramian("export", model, "--onnx", onnx).succeeded();
    }

    /** Runs a command, which must end in time and without a trace. */
    private static CommandRun ended(String what, Object... words) {
        CommandRun run = assertTimeoutPreemptively(PATIENCE, () -> gramian(words), what);
        assertThat(run.err() + run.out())
                .as(what)
                .doesNotContain("Exception", "\tat ", "io.github.gramian", "org.apache", "com.fasterxml", "JsonToken");
        assertThat(run.exitCode()).as(what).isBetween(0, 2);
        return run;
    }

    /** Flips one bit at a time. A command may fail or answer as with the whole file. */
    private static void flip(Path file, Object... words) throws IOException {
        byte[] whole = Files.readAllBytes(file);
        CommandRun intact = ended("intact " + file, words).succeeded();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < FLIPS; i++) {
            byte[] bytes = whole.clone();
            int at = random.nextInt(bytes.length);
            int bit = random.nextInt(8);
            bytes[at] ^= (byte) (1 << bit);
            Files.write(file, bytes);
            String what = file.getFileName() + ", bit " + bit + " of byte " + at;
            CommandRun run = ended(what, words);
            if (run.exitCode() == 0 && !file.toString().endsWith(".csv")) {
                assertThat(run.out()).as(what).isEqualTo(intact.out());
            }
        }
        Files.write(file, whole);
    }

    @Test
    void a_list_of_images() throws IOException {
        // A list has no checksum: another label is another list, and not an error.
        flip(world.manifest(), "data", "inspect", "--root", world.manifest());
    }

    @Test
    void an_onnx_file() throws IOException {
        flip(onnx, "predict", onnx, world.manifest().resolveSibling("rows"), "--format", "jsonl", "--quiet");
    }

    @Test
    void the_files_of_a_run() throws IOException {
        Path run = folder.resolve("run");
        gramian("train", world.recipeFile(), "--out", run, "--cache", folder.resolve("cache"), "--quiet")
                .succeeded();
        Path other = folder.resolve("other");
        Tree.restore(run, other);
        for (String name : List.of("scores.json", "predictions.jsonl")) {
            flip(run.resolve(name), "compare", run, other);
        }
        flip(run.resolve("recipe.yaml"), "recipe", "check", run.resolve("recipe.yaml"));
    }

    @Test
    void a_directory_of_many_files() throws IOException {
        Path many = Files.createDirectories(folder.resolve("many"));
        for (int i = 0; i < FILES; i++) {
            Files.createFile(many.resolve(i + ".jpg"));
        }
        CommandRun run = ended("many files", "predict", onnx, many, "--format", "csv", "--quiet");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines()).hasSize(FILES + 1);
        assertThat(ended("many files", "index", many, "--model", onnx, "--out", folder.resolve("index"), "--quiet")
                        .exitCode())
                .isEqualTo(2);
        assertThat(ended("many files", "data", "inspect", "--root", many)
                        .succeeded()
                        .out())
                .contains("broken       " + FILES);
        assertThat(ended("many files", "data", "inspect", "--root", many, "--strict")
                        .exitCode())
                .isEqualTo(1);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_path_of_almost_four_thousand_characters() throws IOException {
        Path deep = folder;
        while (deep.toString().length() < 3700) {
            deep = deep.resolve("d".repeat(250));
        }
        Files.createDirectories(deep);
        Path photo = Files.copy(world.manifest().resolveSibling("rows").resolve("0.png"), deep.resolve("0.png"));
        assertThat(ended("a long path", "predict", onnx, photo, "--format", "csv", "--quiet")
                        .succeeded()
                        .out())
                .contains(photo.toString());
        Path out = deep.resolve("n".repeat(240) + ".npy");
        ended("a long output", "describe", onnx, folder.resolve("d".repeat(250)), "--out", out, "--quiet")
                .succeeded();
        assertThat(out).exists();
        Path longer = deep.resolve("n".repeat(250)).resolve("n".repeat(250));
        assertThat(ended("a path that is too long", "predict", onnx, longer, "--quiet")
                        .exitCode())
                .isEqualTo(1);
        assertThat(ended("an output that is too long", "describe", onnx, photo, "--out", longer + ".npy", "--quiet")
                        .err())
                .hasLineCount(1)
                .hasSizeLessThan(4000);
    }
}
