package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.check.OwnJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
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
    void the_temporary_file_is_not_named() {
        Path file = folder.resolve("file");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
                    try (Stream<Path> temporary = Files.list(folder)) {
                        String name = temporary.findFirst().orElseThrow().toString();
                        throw new FileSystemException(name, null, "Read-only file system");
                    }
                }))
                .hasMessage(file + ": Read-only file system");
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
    void a_failure_that_content_could_not_declare_is_named_as_well() {
        Path file = folder.resolve("file");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
                    throw new UncheckedIOException(new IOException("No space left on device"));
                }))
                .isInstanceOfSatisfying(
                        FileSystemException.class,
                        failure -> assertThat(failure.getFile()).isEqualTo(file.toString()));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void files_that_belong_together_are_replaced_together() throws IOException {
        Path values = folder.resolve("values");
        Path names = folder.resolve("names");
        AtomicFile.writeTogether(values, channel -> AtomicFile.put("1", channel), () -> Map.of(names, "one"));
        assertThatThrownBy(() -> AtomicFile.writeTogether(values, channel -> AtomicFile.put("2", channel), () -> {
                    throw new IllegalStateException("no names");
                }))
                .hasMessage("no names");
        assertThat(values).hasContent("1");
        assertThat(names).hasContent("one");
        // A directory, which a file cannot replace, is the first to fail after the names are gone.
        Files.delete(values);
        Files.createDirectories(values.resolve("in the way"));
        assertThatThrownBy(() -> AtomicFile.writeTogether(
                        values, channel -> AtomicFile.put("2", channel), () -> Map.of(names, "two")))
                .isInstanceOfSatisfying(
                        FileSystemException.class,
                        failure -> assertThat(failure.getFile()).isEqualTo(values.toString()));
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(values);
        }
    }

    @Test
    void text_is_added_to_the_end() throws IOException {
        Path file = folder.resolve("file");
        AtomicFile.append(file, "a\n");
        AtomicFile.append(file, "b\n");
        assertThat(file).hasContent("a\nb\n");
    }

    @Test
    void an_empty_file_that_a_loss_of_power_left_is_removed_when_it_is_old() throws IOException {
        Path left = Files.createFile(folder.resolve(".file.0123456789abcdef.0123456789abcdef.tmp"));
        AtomicFile.writeText(folder.resolve("file"), "a");
        assertThat(left).exists();
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minusSeconds(100)));
        AtomicFile.writeText(folder.resolve("file"), "b");
        assertThat(left).doesNotExist();
    }

    @Test
    void a_written_file_has_the_permissions_of_new_files() throws IOException {
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
        assertThat(folder.resolve("living")).hasContent("started");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactlyInAnyOrder(folder.resolve("living"), folder.resolve("other"));
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void a_link_remains_and_the_file_that_it_leads_to_is_replaced() throws IOException {
        Path real = Files.createDirectories(folder.resolve("elsewhere")).resolve("file");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("elsewhere/file"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), link);
        AtomicFile.writeText(second, "created through links to nothing");
        assertThat(real).hasContent("created through links to nothing");
        AtomicFile.writeTogether(
                folder.resolve("values"), channel -> AtomicFile.put("1", channel), () -> Map.of(link, "replaced"));
        assertThat(real).hasContent("replaced");
        assertThat(link).isSymbolicLink();
        assertThat(second).isSymbolicLink();
        Path round = Files.createSymbolicLink(folder.resolve("round"), Path.of("round"));
        assertThatThrownBy(() -> AtomicFile.writeText(round, "text"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("leads back to itself");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void a_link_to_a_directory_is_a_directory() throws IOException {
        Files.createDirectories(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("real"));
        AtomicFile.makeFolder(link);
        AtomicFile.writeText(link.resolve("file"), "text");
        assertThat(folder.resolve("real/file")).hasContent("text");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void a_pipe_receives_the_whole_content_and_remains() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(pipe);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        // Content may go back to its start, which a pipe cannot.
        AtomicFile.write(pipe, channel -> {
            AtomicFile.put("......", channel);
            channel.position(0);
            AtomicFile.put("whole ", channel);
        });
        assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo("whole ");
        assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther())
                .isTrue();
        assertThatThrownBy(() -> AtomicFile.write(pipe, channel -> {
                    throw new IOException("broken");
                }))
                .hasMessageContaining("broken");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(pipe);
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void a_device_remains() throws IOException {
        Path device = Path.of("/dev/null");
        Path link = Files.createSymbolicLink(folder.resolve("link"), device);
        AtomicFile.writeTogether(link, channel -> AtomicFile.put("1", channel), () -> Map.of(device, "text"));
        assertThat(Files.readAttributes(device, BasicFileAttributes.class).isOther())
                .isTrue();
        assertThat(link).isSymbolicLink();
    }

    @Test
    void a_name_may_be_as_long_as_the_system_allows() throws IOException {
        Path file = folder.resolve("n".repeat(250));
        AtomicFile.writeText(file, "text");
        assertThat(file).hasContent("text");
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
        return OwnJvm.of(SlowWriterMain.class, target)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Begins to write and continues when its input ends. */
    static final class SlowWriterMain {

        private SlowWriterMain() {}

        public static void main(String[] arguments) throws IOException {
            AtomicFile.write(Path.of(arguments[0]), channel -> {
                channel.write(ByteBuffer.wrap("started".getBytes(StandardCharsets.UTF_8)));
                System.in.transferTo(OutputStream.nullOutputStream());
            });
        }
    }
}
