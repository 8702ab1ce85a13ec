package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
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

    @Test
    void what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not() throws Exception {
        Process killed = writer(folder.resolve("killed"));
        Process living = writer(folder.resolve("living"));
        await(() -> temporaries() == 2);
        killed.destroyForcibly().waitFor();
        AtomicFile.writeText(folder.resolve("other"), "text");
        assertThat(temporaries()).isEqualTo(1);
        living.getOutputStream().close();
        assertThat(living.waitFor()).isZero();
        assertThat(folder.resolve("living")).hasContent("begun");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactlyInAnyOrder(folder.resolve("living"), folder.resolve("other"));
        }
    }

    private long temporaries() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file ->
                            file.toString().endsWith(".tmp") && file.toFile().length() > 0)
                    .count();
        }
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        for (int tried = 0; !condition.call(); tried++) {
            assertThat(tried).as("half a minute").isLessThan(600);
            Thread.sleep(50);
        }
    }

    private static Process writer(Path target) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SlowWriterMain.class.getName(),
                        target.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Begins to write and continues when its input ends. */
    static final class SlowWriterMain {

        private SlowWriterMain() {}

        public static void main(String[] arguments) throws IOException {
            AtomicFile.write(Path.of(arguments[0]), channel -> {
                channel.write(ByteBuffer.wrap("begun".getBytes(StandardCharsets.UTF_8)));
                System.in.transferTo(OutputStream.nullOutputStream());
            });
        }
    }
}
