package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wrong input ends with one line that describes how to fix it, and leaves nothing half-written. */
class WrongInputTest {

    @TempDir
    private Path own;

    private static DemoRun small = new DemoRun(Path.of(""), Path.of(""));
    private static Path run = Path.of("");

    @BeforeAll
    static void train_a_model() {
        small = DemoRun.trained();
        run = small.run();
    }

    private void assertNothingWritten(Path out) throws IOException {
        assertThat(out).doesNotExist();
        try (Stream<Path> all = Files.walk(own)) {
            assertThat(all.filter(Files::isRegularFile).map(Path::toString))
                    .noneMatch(name -> name.endsWith(".tmp") || name.endsWith(".yaml") || name.endsWith(".gramian"));
        }
    }

    /** The first {@code count} images of each class; a class that starts with a minus gets an empty folder. */
    private Path images(int count, String... classes) throws IOException {
        Path root = own.resolve("images");
        for (String name : classes) {
            boolean empty = name.startsWith("-");
            Path target = Files.createDirectories(root.resolve(empty ? name.substring(1) : name));
            for (int i = 0; i < count && !empty; i++) {
                String file = String.format(Locale.ROOT, "%03d.png", i);
                Files.copy(small.photos().resolve(name).resolve(file), target.resolve(file));
            }
        }
        return root;
    }

    @Test
    void a_recipe_with_a_misspelt_key() throws IOException {
        Path out = own.resolve("run");
        Path recipe = own.resolve("recipe.yml");
        Files.writeString(recipe, "stage1:\n  epoch: 5\n");
        gramian("train", recipe, "--images", small.photos(), "--backbone", small.weights(), "--out", out)
                .refused(2, "unknown key 'stage1.epoch'; did you mean 'epochs'?");
        gramian("recipe", "check", recipe).refused(2, recipe + ": unknown key 'stage1.epoch'");
        small.train(small.photos(), out, "--set", "stage1.epoch=5").refused(2, "did you mean 'epochs'?");
        assertNothingWritten(out);
    }

    @Test
    void a_long_foreign_string_is_cut() throws IOException {
        String key = "k".repeat(200_000);
        Path recipe = own.resolve("recipe.yml");
        Files.writeString(recipe, "? " + key + "\n: 1\n");
        CommandRun check = gramian("recipe", "check", recipe);
        check.refused(2, "unknown key 'kkk");
        assertThat(check.err()).hasSizeLessThan(4000);
        assertThat(gramian("train", "--" + key).err().lines().findFirst())
                .hasValueSatisfying(line -> assertThat(line).hasSizeLessThan(4000));
    }

    @Test
    void a_missing_folder() throws IOException {
        Path out = own.resolve("run");
        small.train(own.resolve("absent"), out).refused(2, "absent does not exist");
        assertNothingWritten(out);
    }

    @Test
    void a_missing_backbone() throws IOException {
        Path out = own.resolve("run");
        gramian("train", "--images", small.photos(), "--backbone", own.resolve("absent"), "--out", out)
                .refused(2, "absent does not exist; check the path");
        gramian("train", "--images", small.photos(), "--out", out).refused(2, "no backbone is named");
        assertNothingWritten(out);
    }

    @Test
    void an_empty_class() throws IOException {
        Path out = own.resolve("run");
        small.train(images(5, "dots", "waves", "-moss"), out)
                .refused(2, "class directory 'moss' contains no images; add some or remove the directory");
        assertNothingWritten(out);
    }

    @Test
    void one_image_a_class() throws IOException {
        Path out = own.resolve("run");
        small.train(images(1, "dots", "waves"), out).refused(2, "no image is left to test on; give every class");
        assertNothingWritten(out);
    }

    @Test
    void a_class_of_only_broken_images() throws IOException {
        Path images = images(5, "dots", "waves");
        Files.createDirectories(images.resolve("moss"));
        for (int i = 0; i < 5; i++) {
            Files.writeString(images.resolve("moss/" + i + ".png"), "dear reader " + i);
        }
        Path out = own.resolve("run");
        small.train(images, out).refused(2, "class 'moss' has no image left to train on");
        assertNothingWritten(out);
        Path used = Files.createDirectories(own.resolve("used"));
        Files.writeString(used.resolve("notes.txt"), "mine");
        small.train(images, used).refused(2, "class 'moss' has no image left to train on");
        assertThat(used).isDirectoryContaining(file -> file.endsWith("notes.txt"));
        assertThat(used.resolve("recipe.yaml")).doesNotExist();
    }

    @Test
    void a_model_file_that_is_cut_off_changed_newer_or_something_else() throws IOException {
        byte[] good = Files.readAllBytes(run.resolve("model.gramian"));
        Path model = own.resolve("bad.gramian");
        Files.write(model, Arrays.copyOf(good, good.length / 2));
        refuseModel(model, "not a complete model", "copy or train it again");
        Files.write(model, new byte[0]);
        refuseModel(model, "not a complete model", "empty or cut off");

        byte[] flipped = good.clone();
        flipped[flipped.length - 1000] ^= 1;
        Files.write(model, flipped);
        refuseModel(model, "their hash does not match", "copy or train it again");

        byte[] newer = good.clone();
        String header = new String(newer, 0, 100_000, StandardCharsets.ISO_8859_1);
        newer[header.indexOf("gramian-model/1") + "gramian-model/".length()] = '2';
        Files.write(model, newer);
        refuseModel(model, "has format 2 and this program reads 1", "install a newer gramian");

        byte[] changed = good.clone();
        changed[header.indexOf("stripes")] = 'S';
        Files.write(model, changed);
        refuseModel(model, "was changed after it was written");
        refuseModel(small.weights(), "is not a model");
        refuseModel(small.photos().resolve("dots/000.png"), "is a PNG image, not a model", "name the model first");
    }

    @Test
    void a_directory_of_photographs_in_place_of_a_model() {
        String advice = "is not a model: the directory has neither model.gramian nor recipe.yaml";
        refuseModel(small.photos(), advice, "give a model.gramian, the directory of a run");
        gramian("compare", small.photos(), run).refused(2, "is not a run: it has neither recipe.yaml nor scores.json");
    }

    @Test
    void a_run_that_is_not_finished() throws IOException {
        Path unfinished = Files.createDirectories(own.resolve("run"));
        Files.copy(run.resolve("recipe.yaml"), unfinished.resolve("recipe.yaml"));
        refuseModel(unfinished, "has no model.gramian; finish the run with: gramian resume " + unfinished);
    }

    @Test
    void a_model_that_is_named_after_the_images() {
        Path photo = small.photos().resolve("dots/000.png");
        for (Path model : List.of(run, run.resolve("model.gramian"))) {
            for (Path images : List.of(photo, small.photos())) {
                gramian("predict", images, model)
                        .refused(
                                2,
                                images + " is not a model, but " + model + " is; name the model first, then the images:"
                                        + " gramian predict " + model + " " + images);
                gramian("describe", images, model, "--out", own.resolve("x.npy"))
                        .refused(2, "name the model first, then the images: gramian describe " + model);
            }
        }
    }

    @Test
    void something_else_in_place_of_a_weights_file() throws IOException {
        Path photo = small.photos().resolve("dots/000.png");
        String made = "give a file made by: gramian weights import";
        refuseBackbone(photo, photo + " is a PNG image, not a weights file", made);
        refuseBackbone(small.photos(), small.photos() + " is a directory, not a weights file", made);
        refuseBackbone(run.resolve("model.gramian"), "is a trained model, not a weights file", made);
        Map<String, byte[]> published = Map.of(
                "x.tgz", new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3},
                "x.pth", new byte[] {(byte) 0x80, 2, (byte) 0x8a, 10, 'l', (byte) 0xfc, (byte) 0x9c, 'F', (byte) 0xf9},
                "x.h5", new byte[] {(byte) 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0});
        for (Map.Entry<String, byte[]> entry : published.entrySet()) {
            Path file = Files.write(own.resolve(entry.getKey()), entry.getValue());
            refuseBackbone(
                    file,
                    "is not a weights file of Gramian",
                    "convert it with: gramian weights import " + file + " --as NAME --out FILE.safetensors");
        }
    }

    private void refuseBackbone(Path backbone, String... words) {
        gramian("train", "--images", small.photos(), "--backbone", backbone, "--out", own.resolve("none"))
                .refused(2, words);
        assertThat(own.resolve("none")).doesNotExist();
    }

    private void refuseModel(Path model, String... words) {
        gramian("predict", model, small.photos()).refused(2, words);
        gramian("evaluate", model).refused(2, words);
        gramian("model", "show", model).refused(2, words);
    }

    @Test
    void a_full_disk() throws Exception {
        Path disk = Files.createDirectory(own.resolve("disk"));
        assumeTrue(succeeds("mount", "-t", "tmpfs", "-o", "size=256k", "none", disk.toString()), "needs root");
        try {
            Path out = disk.resolve("run");
            small.train(small.photos(), out, "--cache", small.folder().resolve("runs/features"))
                    .refused(1, out.toString(), "the disk is full; free some space");
            assertThat(out.resolve("model.gramian")).doesNotExist();
            assertThat(out.resolve("scores.json")).doesNotExist();
            gramian("weights", "random", "--as", "resnet18_tiny", "--out", disk.resolve("w.safetensors"))
                    .refused(1, "the disk is full");
            Files.write(
                    disk.resolve("filler"),
                    new byte[(int) Files.getFileStore(disk).getUsableSpace() - 4096]);
            gramian("describe", run, small.photos(), "--quiet", "--out", disk.resolve("x.npy"))
                    .refused(1, "the disk is full");
            gramian("evaluate", run, "--quiet", "--out", disk.resolve("scores")).refused(1, "the disk is full");
            small.train(small.photos(), own.resolve("run"), "--cache", disk.resolve("features"))
                    .refused(1, "left; choose another directory with --cache");
            try (Stream<Path> left = Files.walk(disk)) {
                assertThat(left.filter(Files::isRegularFile)
                                .map(file -> file.getFileName().toString())
                                .filter(name -> !name.startsWith("events.out.tfevents")))
                        .isSubsetOf(
                                "filler",
                                // complete, and what a resumed run or the next one continues with
                                "recipe.yaml",
                                "inputs.json",
                                "lock",
                                "events.jsonl",
                                "stage1-last.safetensors",
                                "stage1-best.safetensors",
                                "recipe.txt",
                                "index.bin");
            }
        } finally {
            // lazily: a mapped file keeps the disk busy until the collector has let go of it
            assertThat(succeeds("umount", "--lazy", disk.toString())).isTrue();
        }
    }

    private static boolean succeeds(String... command) throws Exception {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void no_permission_to_write() throws IOException {
        Path closed = Files.createDirectory(own.resolve("closed"));
        assumeTrue(Files.getFileStore(closed).supportsFileAttributeView("posix"), "no such permissions here");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeFalse(Files.isWritable(closed), "permissions do not bind this user");
        try {
            Path out = closed.resolve("run");
            small.train(small.photos(), out, "--cache", small.folder().resolve("runs/features"))
                    .refused(1, "permission denied; change its permissions");
            gramian("evaluate", run, "--quiet", "--out", out).refused(1, "permission denied");
            gramian("describe", run, small.photos(), "--quiet", "--out", closed.resolve("x.npy"))
                    .refused(1, "permission denied");
            assertNothingWritten(out);
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void a_file_where_a_folder_should_be() throws IOException {
        Path file = Files.writeString(own.resolve("file"), "");
        small.train(
                        small.photos(),
                        file.resolve("run"),
                        "--cache",
                        small.folder().resolve("runs/features"))
                .refused(1, "a file is in the way where a directory should be");
    }

    @Test
    void debug_adds_the_trace() {
        CommandRun traced = gramian("compare", own, "--debug");
        assertThat(traced.err()).startsWith("gramian: ").contains("at io.github.gramian");
        assertThat(List.of(traced.exitCode())).containsExactly(2);
    }
}
