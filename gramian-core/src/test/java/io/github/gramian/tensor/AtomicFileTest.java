package io.github.gramian.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {

    @TempDir
    private Path folder;

    @Test
    void a_failure_leaves_the_old_file_and_nothing_else_and_names_the_file() throws IOException {
        Path file = folder.resolve("file");
        AtomicFile.writeText(file, "old");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
                    throw new IOException("No space left on device");
                }))
                .isInstanceOfSatisfying(FileSystemException.class, failure -> {
                    assertThat(failure.getFile()).isEqualTo(file.toString());
                    assertThat(failure.getReason()).isEqualTo("No space left on device");
                });
        assertThat(file).hasContent("old");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(file);
        }
    }

    @Test
    void an_exception_of_the_content_itself_comes_through_unchanged() {
        IOException own = new FileSystemException("elsewhere");
        assertThatThrownBy(() -> AtomicFile.write(folder.resolve("file"), channel -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_written_file_may_be_read_by_whoever_may_read_new_files() throws IOException {
        assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"), "no such permissions here");
        Path plain = Files.createFile(folder.resolve("plain"));
        Path file = folder.resolve("file");
        AtomicFile.writeText(file, "text");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(plain));
    }
}
