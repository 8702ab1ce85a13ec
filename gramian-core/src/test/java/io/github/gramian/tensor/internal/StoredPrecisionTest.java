package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredPrecisionTest {

    @TempDir
    private Path folder;

    private StoredPrecision on(String processor) {
        return new StoredPrecision(folder.resolve("cache"), processor);
    }

    @Test
    void a_measurement_counts_on_the_processor_that_it_was_made_on() throws IOException {
        assertThat(on("Xeon avx512f").read()).isEmpty();
        on("Xeon avx512f").write(Precision.BFLOAT16);

        assertThat(on("Xeon avx512f").read()).hasValue(Precision.BFLOAT16);
        assertThat(on("Xeon avx512f amx_bf16").read()).isEmpty();
    }

    @Test
    void a_later_measurement_replaces_an_earlier_one() throws IOException {
        on("Xeon").write(Precision.BFLOAT16);
        on("Xeon").write(Precision.FLOAT);

        assertThat(on("Xeon").read()).hasValue(Precision.FLOAT);
    }

    @Test
    void a_damaged_file_does_not_count() throws IOException {
        on("Xeon").write(Precision.FLOAT);
        Path file = on("Xeon").file();
        for (byte[] content : new byte[][] {
            {},
            "Xeon\n".getBytes(StandardCharsets.UTF_8),
            "Xeon\nHALF\n".getBytes(StandardCharsets.UTF_8),
            {(byte) 0xff, '\n', 'F'},
            new byte[1 << 16]
        }) {
            Files.write(file, content);
            assertThat(on("Xeon").read()).isEmpty();
        }
    }
}
