package io.github.gramian.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailuresTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void a_deleted_key_file_is_reported_with_the_reason() throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "anna:0123456789abcdef\n");
        ApiKeys keys = ApiKeys.of(file);
        Files.delete(file);
        Throwable failure = catchThrowable(keys::refresh);
        assertThat(Failures.reason(failure)).isEqualTo(file + " does not exist");
        assertThat(Failures.reason(new IOException("the disk is on fire"))).isEqualTo("the disk is on fire");
        assertThat(Failures.reason(new StackOverflowError())).isEqualTo("StackOverflowError");
    }
}
