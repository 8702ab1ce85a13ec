package io.github.gramian.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageArgumentsTest {

    @TempDir
    Path folder;

    @Test
    void a_link_to_the_folder_above_is_reported_and_not_followed() throws IOException {
        Path photos = Files.createDirectories(folder.resolve("photos"));
        Files.createFile(photos.resolve("a.png"));
        Files.createFile(folder.resolve("b.png"));
        Files.createSymbolicLink(photos.resolve("loop"), Path.of(".."));
        List<String> notes = new ArrayList<>();
        List<Path> images = new ArrayList<>();
        new ImageArguments(List.of(photos.toString()), notes::add).each(images::addAll);
        assertThat(images).containsExactly(photos.resolve("a.png"));
        assertThat(notes).singleElement().asString().startsWith("1 link was not followed, such as loop");
    }
}
