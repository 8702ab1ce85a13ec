package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.gramian.cli.common.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeysTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path directory;

    @Test
    void a_deleted_key_file_is_reported_with_the_reason() throws Exception {
        Path file = Files.writeString(directory.resolve("keys"), "anna:0123456789abcdef\n");
        ApiKeys keys = ApiKeys.of(file);
        Files.delete(file);
        Throwable failure = catchThrowable(keys::refresh);
        assertThat(Failure.of(failure).line()).startsWith(file + " does not exist");
    }
}
