package io.github.gramian.similar.vector.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReductionFileTest {

    @TempDir
    private Path folder;

    private Path written() throws IOException {
        Path file = folder.resolve("reduction.safetensors");
        ReductionFile.write(file, new Reduction(new float[] {1, 2, 3}, new float[] {1, 0, 0, 0, 2, 0}));
        return file;
    }

    @Test
    void a_reduction_is_read_as_it_was_written() throws IOException {
        ReductionFile.Stored stored = ReductionFile.read(written());
        assertThat(stored.reduction().mean()).containsExactly(1, 2, 3);
        assertThat(stored.reduction().components()).containsExactly(1, 0, 0, 0, 2, 0);
        assertThat(stored.checksum()).hasSize(8);
    }

    @Test
    void a_flipped_bit_in_any_byte_is_reported() throws IOException {
        Path file = written();
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= (byte) (1 << i % 8);
            Files.write(file, bad);
            assertThatThrownBy(() -> ReductionFile.read(file)).as("byte %d", i).isInstanceOf(RuntimeException.class);
        }
    }
}
