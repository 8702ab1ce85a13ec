package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.DemoRun;
import io.github.gramian.similar.ImageIndex;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/similar.md, on drawn textures. */
class IndexPhotographsTest {

    @TempDir
    Path folder;

    @Test
    void photographs_of_a_directory_are_found() throws IOException {
        DemoRun small = DemoRun.trained();
        Path oak = Files.createDirectories(folder.resolve("photos/oak"));
        try (Stream<Path> files = Files.list(small.photos().resolve("dots"))) {
            for (Path file : files.toList()) {
                Files.copy(file, oak.resolve(file.getFileName()));
            }
        }
        Files.copy(oak.resolve("000.png"), folder.resolve("new.jpg"));
        Files.createDirectories(folder.resolve("runs/first"));
        Files.copy(small.run().resolve("model.gramian"), folder.resolve("runs/first/model.gramian"));
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            indexAndSearch();
        } finally {
            System.setOut(console);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .hasSize(8)
                .first()
                .asString()
                .startsWith("1.0 ")
                .endsWith("000.png");
    }

    private void indexAndSearch() throws IOException {
        ImageIndex.build(
                folder.resolve("photos"), folder.resolve("runs/first/model.gramian"), folder.resolve("photos.index"));
        try (ImageIndex index = ImageIndex.open(folder.resolve("photos.index"))) {
            for (ImageIndex.Match match : index.similar(folder.resolve("new.jpg"), 20, "label=oak")) {
                System.out.println(match.similarity() + " " + match.file());
            }
        }
    }
}
