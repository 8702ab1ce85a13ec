package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.common.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors of the JVM are one sentence with advice, too. */
class JvmErrorTest {

    @TempDir
    private Path folder;

    private void assertSentence(List<String> jvm, String[] command, String... words) throws Exception {
        OwnProcess.End end = new OwnProcess(folder, jvm, Map.of()).run((Object[]) command);
        assertThat(end.err()).startsWith("gramian: ").hasLineCount(1).contains(words);
        assertThat(end.code()).isEqualTo(1);
        assertThat(end.out()).isEmpty();
    }

    @Test
    void no_native_library_for_this_machine() throws Exception {
        assertSentence(
                List.of("-Dorg.bytedeco.javacpp.platform=linux-unheardof"),
                new String[] {"doctor"},
                "cannot be loaded",
                "install the distribution for this system");
    }

    @Test
    void no_memory() throws Exception {
        assertSentence(
                List.of("-Xmx12m"),
                new String[] {"weights", "random", "--as", "vgg16", "--out", "w.safetensors"},
                "not have enough memory",
                "GRAMIAN_JAVA_OPTS=-Xmx8g");
    }

    @Test
    void libraries_on_a_disk_without_execution() {
        Error error = new UnsatisfiedLinkError("no jnitorch in java.library.path: /usr/lib");
        error.initCause(new UnsatisfiedLinkError("/tmp/x.so: failed to map segment from shared object"));
        assertThat(Failure.of(error).line()).contains("noexec", "-Dorg.bytedeco.javacpp.cachedir=DIRECTORY");
        assertThat(Failure.of(error).exitCode()).isEqualTo(1);
    }

    @Test
    void too_few_descriptors() {
        Error error = new Error(new IOException("/usr/lib/jvm/lib/tzdb.dat (Too many open files)"));
        assertThat(Failure.of(error)).isEqualTo(Failure.of(new IOException("x.png: Too many open files")));
        assertThat(Failure.of(error).line()).contains("ulimit -n 1024");
    }
}
