package io.github.gramian.similar;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.cli.DemoRun;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimilarCommandsTest {

    @TempDir
    private Path folder;

    private final DemoRun small = DemoRun.trained();

    private Path index() {
        Path index = folder.resolve("index");
        gramian("index", small.photos(), "--model", small.run(), "--out", index, "--quiet")
                .succeeded();
        return index;
    }

    private Path anyPhoto() throws IOException {
        try (Stream<Path> files = Files.walk(small.photos())) {
            return files.filter(file -> file.toString().endsWith(".png"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void an_indexed_photograph_is_found_first_in_every_format() throws IOException {
        Path index = index();
        Path photo = anyPhoto();
        List<JsonNode> lines = gramian("similar", index, photo, "--format", "jsonl", "--top", 3)
                .succeeded()
                .out()
                .lines()
                .map(SimilarCommandsTest::parse)
                .toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0).path("file").asText())
                .isEqualTo(photo.toAbsolutePath().normalize().toString());
        assertThat(lines.get(0).path("similarity").asDouble()).isGreaterThan(0.999);
        assertThat(gramian("similar", index, photo, "--format", "csv")
                        .succeeded()
                        .out())
                .startsWith("file,similarity\n");
        assertThat(gramian("similar", index, photo).succeeded().out()).startsWith("1.0000  ");
        String page =
                gramian("similar", index, photo, "--format", "html").succeeded().out();
        assertThat(page).contains("data:image/jpeg;base64,").doesNotContain("http://", "https://");
    }

    private static JsonNode parse(String line) {
        try {
            return Json.parse(line);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_new_photograph_is_described_by_the_model_of_the_index() throws IOException {
        Path index = index();
        Path copy = folder.resolve("copy.png");
        // A byte after the end of a PNG changes the content's hash and not the picture.
        byte[] bytes = Files.readAllBytes(anyPhoto());
        Files.write(copy, bytes);
        Files.write(copy, new byte[] {0}, java.nio.file.StandardOpenOption.APPEND);
        JsonNode first = parse(gramian("similar", index, copy, "--format", "jsonl", "--top", 1)
                .succeeded()
                .out()
                .strip());
        assertThat(first.path("file").asText())
                .isEqualTo(anyPhoto().toAbsolutePath().normalize().toString());
        assertThat(first.path("similarity").asDouble()).isGreaterThan(0.999);
    }

    @Test
    void a_missing_index_a_missing_photograph_and_two_tasks_are_refused() {
        Path index = index();
        gramian("similar", folder.resolve("none"), "x.jpg").refused(2, "is not an index", "gramian index");
        gramian("similar", index, folder.resolve("none.jpg")).refused(2, "none.jpg does not exist");
        gramian("similar", index).refused(2, "--duplicates, or --verify");
        gramian("similar", index, "a.jpg", "--verify").refused(2, "either");
    }

    @Test
    void verification_names_a_damaged_file() throws IOException {
        Path index = index();
        assertThat(gramian("similar", index, "--verify").succeeded().out()).contains("no damage");
        Path file;
        try (Stream<Path> files = Files.list(index.resolve("lucene"))) {
            file = files.filter(one ->
                            one.toString().endsWith(".cfs") || one.toString().endsWith(".vec"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 4;
        Files.write(file, bytes);
        CommandRun run = gramian("similar", index, "--verify");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains(String.valueOf(file.getFileName()), "1 problem");
    }

    @Test
    void identical_files_are_listed_as_duplicates() throws IOException {
        Path photos = folder.resolve("photos");
        Files.createDirectories(photos.resolve("a"));
        int count = 0;
        try (Stream<Path> files = Files.walk(small.photos())) {
            for (Path file : files.filter(one -> one.toString().endsWith(".png"))
                    .sorted()
                    .limit(12)
                    .toList()) {
                Files.copy(file, photos.resolve("a/" + count++ + ".png"));
            }
        }
        Files.copy(photos.resolve("a/5.png"), photos.resolve("copy.png"));
        Path index = folder.resolve("copies");
        gramian("index", photos, "--model", small.run(), "--out", index, "--quiet")
                .succeeded();
        assertThat(gramian("similar", index, "--duplicates", "--format", "csv", "--quiet")
                        .succeeded()
                        .out())
                .startsWith("file,other,kind,correlation\n")
                .contains("a/5.png,copy.png,identical,1.0000\n");
    }

    @Test
    void java_programs_build_and_search_an_index() throws IOException {
        Path index = folder.resolve("java");
        Path model = small.run().resolve("model.gramian");
        long count = ImageIndex.build(small.photos(), model, index);
        try (ImageIndex opened = ImageIndex.open(index)) {
            assertThat((long) opened.count()).isEqualTo(count);
            assertThat(opened.isComplete()).isTrue();
            ImageIndex.Match first = opened.similar(anyPhoto(), 5).get(0);
            assertThat(first.file()).isEqualTo(anyPhoto().toAbsolutePath().normalize());
            assertThat(opened.similar(anyPhoto(), 100, "label=" + first.label()))
                    .allMatch(match -> match.label().equals(first.label()));
        }
    }
}
