package io.github.gramian.reliability;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One flipped bit in any file that a command reads back: the file is rejected by name, computed again, or the result is the same.
 * No command ever answers otherwise than with the whole file without saying so.
 */
@Tag("long")
class BitFlipsTest {

    private static final int FLIPS = FullForm.rounds(45, 2);

    /** Read by people and other programs alone. */
    private static final List<String> NOT_READ = List.of("report.html", "lock", "grid.yaml");

    @TempDir
    static Path folder;

    private static SmallRuns world = SmallRuns.existing(Path.of(""));
    private final Map<String, Integer> judged = new TreeMap<>();

    @BeforeAll
    static void make_a_world() throws IOException {
        world = SmallRuns.tiny(folder.resolve("world"));
    }

    /** The output of a command and the files that it left. */
    private record Answer(int code, String out, String left, String err) {

        private boolean isAs(Answer whole) {
            return code == whole.code && out.equals(whole.out) && left.equals(whole.left);
        }
    }

    /** A command that must not be misled. */
    private interface Command {
        Answer run() throws IOException;
    }

    @Test
    void a_finished_run() throws IOException {
        Path run = folder.resolve("finished/run");
        gramian("train", world.recipeFile(), "--out", run, "--cache", folder.resolve("cache"), "--quiet")
                .succeeded();
        Path photos = world.manifest().resolveSibling("rows");
        flipAll(
                folder.resolve("finished"),
                List.of("model.gramian"),
                () -> answer(gramian(
                        "predict",
                        run.resolve("model.gramian"),
                        photos,
                        "--backbone",
                        world.weights(),
                        "--trust-backbone-code",
                        "--format",
                        "jsonl",
                        "--quiet")));
        flipAll(folder.resolve("finished"), List.of("scores", "predictions", "events", "report-data", "recipe"), () -> {
            Files.deleteIfExists(run.resolve("report.html"));
            CommandRun report = gramian("report", run);
            String page = Files.exists(run.resolve("report.html")) ? Files.readString(run.resolve("report.html")) : "";
            return new Answer(report.exitCode(), "", page, report.err() + page);
        });
        Path other = folder.resolve("other");
        gramian(
                        "train",
                        world.recipeFile(),
                        "--out",
                        other,
                        "--cache",
                        folder.resolve("cache"),
                        "--quiet",
                        "--set",
                        "stage1.epochs=1")
                .succeeded();
        flipAll(
                folder.resolve("finished"),
                List.of("scores", "predictions"),
                () -> answer(gramian("compare", run, other)));
    }

    @Test
    void a_stopped_run_and_its_features() throws IOException {
        Path tree = folder.resolve("stopped");
        world.trainAndStop(tree.resolve("run"), tree.resolve("features"), 3);
        flipAll(tree, List.of(""), () -> {
            CommandRun resumed = gramian("resume", tree.resolve("run"), "--cache", tree.resolve("features"), "--quiet");
            Map<String, String> left = Tree.hashes(tree);
            left.keySet().removeIf(name -> !name.endsWith("model.gramian") && !name.endsWith("predictions.jsonl"));
            return new Answer(resumed.exitCode(), "", left.toString(), resumed.err());
        });
    }

    @Test
    void results_of_a_grid() throws IOException {
        Path tree = folder.resolve("grid");
        Scene scene = new Scene.Maker(world).of("experiment");
        scene.restore();
        gramian(scene.words().toArray()).succeeded();
        Tree.restore(scene.work(), tree);
        flipAll(tree, List.of("json"), () -> answer(gramian("tables", tree.resolve("results"))));
    }

    @Test
    void exported_files() throws IOException {
        Path tree = Files.createDirectories(folder.resolve("exported"));
        Path model = SmallModels.write(
                folder.resolve("model.gramian"), new NetworkConfig(List.of(BranchConfig.kernel("res2a", 32, 6, 3)), 5));
        gramian("export", model, "--onnx", tree.resolve("one.onnx")).succeeded();
        gramian("export", model, "--onnx", tree.resolve("two.onnx"), "--external-data")
                .succeeded();
        Path photos = world.manifest().resolveSibling("rows");
        for (String name : List.of("one.onnx", "two.onnx")) {
            flipAll(
                    tree,
                    List.of(name),
                    () -> answer(gramian("predict", tree.resolve(name), photos, "--format", "jsonl", "--quiet")));
        }
    }

    private static Answer answer(CommandRun run) {
        return new Answer(run.exitCode(), run.out(), "", run.err());
    }

    /** Flips bits in each file of a folder whose name has one of the words. */
    private void flipAll(Path tree, List<String> words, Command command) throws IOException {
        Path intact = folder.resolve("intact");
        Tree.restore(tree, intact);
        List<String> files = new ArrayList<>(Tree.hashes(tree).keySet());
        files.removeIf(file -> NOT_READ.stream().anyMatch(file::contains)
                || words.stream()
                        .noneMatch(
                                word -> Path.of(file).getFileName().toString().contains(word)));
        assertThat(files).as("files to damage in " + tree).isNotEmpty();
        age(tree);
        Answer whole = command.run();
        assertThat(whole.code()).as(whole.err()).isZero();
        for (String file : files) {
            SplittableRandom random = new SplittableRandom(file.hashCode());
            for (int flip = 0; flip < FLIPS; flip++) {
                Tree.restore(intact, tree);
                String where = flip(tree.resolve(file), random, flip % 2 == 0);
                age(tree);
                judge(file, where, whole, command.run());
            }
        }
        Tree.restore(intact, tree);
    }

    private void judge(String file, String where, Answer whole, Answer found) {
        String name = Path.of(file).getFileName().toString();
        if (!found.isAs(whole)) {
            assertThat(found.err()).as(where + ": silently another answer").contains(name.replace(".data", ""));
        }
        judged.merge(found.isAs(whole) ? "as the whole file" : "named", 1, Integer::sum);
    }

    /** Pages show when a file was written. */
    private static void age(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
            }
        }
    }

    /** Flips a bit of the first 400 bytes, or anywhere. */
    private static String flip(Path file, SplittableRandom random, boolean early) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int at = random.nextInt(early ? Math.min(400, bytes.length) : bytes.length);
        int bit = random.nextInt(8);
        bytes[at] ^= (byte) (1 << bit);
        Files.write(file, bytes);
        return "bit " + bit + " of byte " + at + " of " + file + " (now "
                + Arrays.toString(Arrays.copyOfRange(bytes, at, at + 1)) + ")";
    }

    @org.junit.jupiter.api.AfterEach
    void print() {
        System.out.println("flipped bits: " + judged);
    }
}
