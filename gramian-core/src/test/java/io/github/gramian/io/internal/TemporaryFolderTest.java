package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFolderTest {

    @TempDir
    Path folder;

    private List<String> left() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void it_goes_with_its_content() throws IOException {
        Path target = folder.resolve("file");
        try (TemporaryFolder temporary = TemporaryFolder.nextTo(target)) {
            Files.createDirectories(temporary.path().resolve("deep/er"));
            Files.writeString(temporary.path().resolve("deep/text"), "text");
            assertThat(left()).containsExactly(".file.tmp");
        }
        assertThat(left()).isEmpty();
    }

    @Test
    void the_next_for_the_same_file_clears_what_a_killed_process_left() throws IOException {
        Path target = folder.resolve("file");
        Path left = Files.createDirectories(folder.resolve(".file.tmp/deep"));
        Files.writeString(left.resolve("text"), "half");
        Files.writeString(folder.resolve(".file.tmp/lock"), ""); // of a process that has ended
        try (TemporaryFolder temporary = TemporaryFolder.nextTo(target);
                Stream<Path> content = Files.list(temporary.path())) {
            assertThat(content).containsExactly(temporary.path().resolve("lock"));
        }
        assertThat(left()).isEmpty();
    }

    @Test
    void one_in_use_is_left_alone() throws IOException {
        Path target = folder.resolve("file");
        try (TemporaryFolder first = TemporaryFolder.nextTo(target)) {
            Files.writeString(first.path().resolve("text"), "half");
            assertThatThrownBy(() -> TemporaryFolder.nextTo(target))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process is writing " + target);
            assertThat(first.path().resolve("text")).exists();
            TemporaryFolder.nextTo(folder.resolve("another")).close();
        }
        assertThat(left()).isEmpty();
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void what_a_killed_process_left_goes_with_the_next() throws IOException {
        Path left = Files.createTempDirectory(folder, "gramian-work-0-"); // no process has this number
        Files.writeString(left.resolve("lock"), "\n");
        Files.writeString(left.resolve("store"), "half");
        Path beginning = Files.createTempDirectory(folder, "gramian-work-0-");
        Files.writeString(beginning.resolve("lock"), "");
        Path open = Files.createTempDirectory(folder, "gramian-work-0-");
        Files.writeString(open.resolve("lock"), "\n");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (TemporaryFolder first = TemporaryFolder.in(folder);
                TemporaryFolder second = TemporaryFolder.in(folder)) {
            assertThat(left).doesNotExist();
            assertThat(List.of(beginning, open, first.path(), second.path())).allMatch(Files::exists);
        }
        assertThat(left()).hasSize(2);
    }
}
