package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.check.FullForm;
import io.github.gramian.check.OwnJvm;
import io.github.gramian.feature.internal.ContentKey;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class FeaturesCommandTest {

    private static final int KILLS = FullForm.rounds(3, 1);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private int run(String... arguments) {
        CommandLine commandLine = Gramian.commandLine();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    private Path weights() {
        Path file = folder.resolve("tiny.safetensors");
        assertThat(run("weights", "random", "--as", "resnet18_tiny", "--out", file.toString()))
                .isZero();
        return file;
    }

    private Path photos(int perClass) throws IOException {
        Path root = folder.resolve("photos");
        Random random = new Random(1);
        for (String name : List.of("bark", "moss")) {
            Files.createDirectories(root.resolve(name));
            for (int i = 0; i < perClass; i++) {
                BufferedImage image = new BufferedImage(70, 60, BufferedImage.TYPE_INT_RGB);
                for (int p = 0; p < 70 * 60; p++) {
                    image.setRGB(p % 70, p / 70, random.nextInt());
                }
                ImageIO.write(
                        image, "jpg", root.resolve(name).resolve(i + ".jpg").toFile());
            }
        }
        return root;
    }

    /** The command that fills a cache with small features, and options on top. */
    private String[] features(Path root, String... more) {
        List<String> words = new ArrayList<>(List.of(
                "features",
                "--root",
                root.toString(),
                "--backbone",
                weights().toString(),
                "--tap",
                "res5b",
                "--size",
                "64",
                "--precision",
                "FLOAT",
                "--out",
                folder.resolve("cache").toString()));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    @Test
    void a_folder_with_hostile_files_is_finished_and_the_rejects_are_exact() throws IOException {
        Path root = photos(60);
        Path bark = root.resolve("bark");
        byte[] good = Files.readAllBytes(bark.resolve("0.jpg"));
        Files.write(bark.resolve("h-truncated.jpg"), Arrays.copyOf(good, good.length / 2));
        Files.createFile(bark.resolve("h-empty.png"));
        Files.writeString(bark.resolve("h-text.jpg"), "dear reader, this is not an image");
        Files.write(bark.resolve("h-bomb.png"), pngHeader(60_000, 60_000));
        Files.createSymbolicLink(bark.resolve("h-loop.jpg"), bark.resolve("h-loop.jpg"));
        // Not hostile, only odd: a JPEG that calls itself PNG is a JPEG.
        Files.write(bark.resolve("wrong-extension.png"), good);

        int code = run(features(root, "--dataset", "folders", "--verify", "--json"));
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        String text = out.toString();
        JsonNode result = new ObjectMapper().readTree(text.substring(text.indexOf('{')));
        assertThat(result.get("computed").asInt()).isEqualTo(120);
        assertThat(result.get("damaged")).isEmpty();
        Map<String, String> rejects = new TreeMap<>();
        result.get("rejects")
                .properties()
                .forEach(field -> rejects.put(field.getKey(), field.getValue().asText()));
        assertThat(rejects)
                .containsOnlyKeys(
                        "bark/h-bomb.png",
                        "bark/h-empty.png",
                        "bark/h-loop.jpg",
                        "bark/h-text.jpg",
                        "bark/h-truncated.jpg");
        assertThat(rejects.get("bark/h-bomb.png")).contains("too large");
        assertThat(rejects.get("bark/h-empty.png")).contains("no bytes");
        assertThat(rejects.get("bark/h-loop.jpg")).contains("link");
        assertThat(rejects.get("bark/h-text.jpg")).contains("not a JPEG");
        assertThat(rejects.get("bark/h-truncated.jpg")).contains("ends too early");
    }

    @Test
    void a_damaged_shard_fails_a_verification_and_is_computed_again_without() throws IOException {
        Path root = photos(3);
        String[] fill = features(root, "--dataset", "folders");
        String[] verify = features(root, "--dataset", "folders", "--verify");
        assertThat(run(verify)).isZero();
        Path shard;
        try (Stream<Path> files = Files.walk(folder.resolve("cache"))) {
            shard = files.filter(file -> file.getFileName().toString().startsWith("shard-"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] whole = Files.readAllBytes(shard);
        byte[] flipped = whole.clone();
        flipped[whole.length / 2] ^= 4;
        Files.write(shard, flipped);
        assertThat(run(verify)).isEqualTo(1);
        assertThat(out.toString()).contains("damaged " + shard);
        assertThat(Files.readAllBytes(shard)).isEqualTo(flipped);
        assertThat(run(fill)).isZero();
        assertThat(out.toString()).contains("was damaged and is computed again: " + shard);
        assertThat(Files.readAllBytes(shard)).isEqualTo(whole);
        assertThat(run(verify)).isZero();
    }

    /** A PNG whose header promises this number of pixels and that contains none. */
    private static byte[] pngHeader(int width, int height) {
        ByteBuffer png = ByteBuffer.allocate(33);
        png.put(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'}).putInt(13);
        byte[] chunk = ByteBuffer.allocate(17)
                .put(new byte[] {'I', 'H', 'D', 'R'})
                .putInt(width)
                .putInt(height)
                .put(new byte[] {8, 2, 0, 0, 0})
                .array();
        CRC32 sum = new CRC32();
        sum.update(chunk);
        return png.put(chunk).putInt((int) sum.getValue()).array();
    }

    @Tag("long")
    @Test
    void a_run_that_is_killed_ends_in_the_bytes_of_an_unbroken_one() throws Exception {
        Path root = photos(40);
        Path weights = weights();
        Path unbroken = folder.resolve("unbroken");
        assertThat(finish(start(root, weights, unbroken))).isZero();
        Path broken = folder.resolve("broken");
        for (int shards = 1; shards <= KILLS; shards++) {
            Process process = start(root, weights, broken);
            while (process.isAlive() && shardsBelow(broken) < shards) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            process.destroyForcibly().waitFor();
        }
        assertThat(finish(start(root, weights, broken))).isZero();
        assertThat(shardsBelow(unbroken))
                .as("shards, so that each kill stops work")
                .isGreaterThan(KILLS);
        assertThat(contents(broken)).isEqualTo(contents(unbroken));
    }

    /** Large maps of the first layer, 3.6 MB per image, so that a few images fill a shard of 64 MB. */
    private Process start(Path root, Path weights, Path cache) throws IOException {
        List<String> command = OwnJvm.program();
        command.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Gramian.class.getName()));
        command.addAll(List.of(
                "features",
                "--root",
                root.toString(),
                "--dataset",
                "folders",
                "--backbone",
                weights.toString(),
                "--tap",
                "conv1",
                "--size",
                "672",
                "--storage",
                "F32",
                "--precision",
                "FLOAT",
                "--out",
                cache.toString(),
                "--batch",
                "4"));
        File log = folder.resolve("log.txt").toFile();
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
    }

    private int finish(Process process) throws Exception {
        int code = process.waitFor();
        assertThat(code).as(Files.readString(folder.resolve("log.txt"))).isZero();
        return code;
    }

    private static long shardsBelow(Path cache) throws IOException {
        if (!Files.exists(cache)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(file -> file.getFileName().toString().startsWith("shard-"))
                    .count();
        }
    }

    private static Map<String, String> contents(Path cache) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(cache)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(
                        cache.relativize(file).toString(),
                        ContentKey.ofFile(file).hex());
            }
        }
        return contents;
    }

    @Test
    void the_expected_size_and_the_result_are_reported() throws IOException {
        assertThat(run(features(photos(3)))).isZero();
        assertThat(err.toString()).contains("6 images, 6 to do").contains("kB each");
        assertThat(out.toString()).contains("6 images computed").contains("stored in");
    }

    @Test
    void wrong_input_is_one_line_with_advice() throws IOException {
        Path root = photos(1);
        assertThat(run("features", "--root", root.toString(), "--backbone", "nowhere.safetensors", "--out", "x"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("nowhere.safetensors does not exist");
        assertThat(run(
                        "features",
                        "--root",
                        root.toString(),
                        "--backbone",
                        weights().toString(),
                        "--tap",
                        "res9z",
                        "--out",
                        folder.resolve("c").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("res9z");
    }

    @Test
    void a_relative_manifest_with_a_broken_image_is_finished() throws Exception {
        photos(2);
        Files.writeString(folder.resolve("photos/moss/broken.jpg"), "no image");
        Files.writeString(
                folder.resolve("photos/list.csv"), "path,label\nbark/0.jpg,a\nmoss/0.jpg,b\nmoss/broken.jpg,b\n");
        weights();
        OwnProcess.End end = new OwnProcess(folder)
                .run(
                        "features",
                        "--root",
                        "photos/list.csv",
                        "--backbone",
                        "tiny.safetensors",
                        "--tap",
                        "res5b",
                        "--size",
                        64,
                        "--out",
                        "cache",
                        "--quiet");
        assertThat(end.code()).as(end.err()).isZero();
        assertThat(end.out()).contains("2 images computed", "rejected moss/broken.jpg: ");
    }
}
