package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartupTraceTest {

    @TempDir
    private Path folder;

    @Test
    void a_startup_trace_records_when_each_point_was_first_reached() throws IOException {
        Path trace = folder.resolve("trace");
        long before = StartupTrace.micros();
        StartupTrace.MAIN.note(trace);
        StartupTrace.ANSWER.note(trace);
        long after = StartupTrace.micros();
        assertThat(StartupTrace.read(trace)).containsOnlyKeys(StartupTrace.MAIN, StartupTrace.ANSWER);
        assertThat(StartupTrace.read(trace).values()).allMatch(micros -> micros >= before && micros <= after);
        Files.writeString(trace, "MAIN 7\nMAIN 8\n");
        assertThat(StartupTrace.read(trace)).containsEntry(StartupTrace.MAIN, 7L);
    }

    @Test
    void a_trace_that_cannot_be_written_names_the_wrong_setting() {
        assertThatThrownBy(
                        () -> StartupTrace.MAIN.note(folder.resolve("missing").resolve("trace")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("-Dgramian.trace");
    }

    @Test
    void without_a_trace_nothing_is_noted() {
        StartupTrace.MAIN.reached();
        assertThat(folder).isEmptyDirectory();
    }
}
