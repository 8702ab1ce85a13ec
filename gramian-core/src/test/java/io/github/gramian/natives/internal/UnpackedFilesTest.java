package io.github.gramian.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnpackedFilesTest {

    @TempDir
    private Path folder;

    private Path library = Path.of("");

    @BeforeEach
    void unpack_and_note() throws IOException {
        library = Files.createDirectories(folder.resolve("linux")).resolve("lib with space.so");
        Files.writeString(library, "code");
        assertThat(new UnpackedFiles(folder, 7).complete()).isFalse();
        new UnpackedFiles(folder, 7).note();
        assertThat(new UnpackedFiles(folder, 7).complete()).isTrue();
    }

    @Test
    void noting_it_again_changes_nothing() throws IOException {
        new UnpackedFiles(folder, 7).note();
        assertThat(new UnpackedFiles(folder, 7).complete()).isTrue();
    }

    @Test
    void a_lost_file_is_noticed() throws IOException {
        Files.delete(library);
        assertThat(new UnpackedFiles(folder, 7).complete()).isFalse();
    }

    @Test
    void a_file_that_was_cut_off_is_noticed() throws IOException {
        Files.writeString(library, "cod");
        assertThat(new UnpackedFiles(folder, 7).complete()).isFalse();
    }

    @Test
    void another_jar_of_the_same_name_is_noticed() {
        assertThat(new UnpackedFiles(folder, 8).complete()).isFalse();
    }

    @Test
    void a_damaged_list_counts_as_none() throws IOException {
        for (String content : new String[] {"", "7\n", "7\nsomething\n", "7\nx y\n", "\0"}) {
            Files.writeString(folder.resolve("gramian-unpacked.txt"), content);
            assertThat(new UnpackedFiles(folder, 7).complete()).as(content).isFalse();
        }
    }
}
