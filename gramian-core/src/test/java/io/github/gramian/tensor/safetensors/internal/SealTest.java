package io.github.gramian.tensor.safetensors.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealTest {

    @TempDir
    Path folder;

    private Path written(boolean sealed) throws IOException {
        Path file = folder.resolve("a.safetensors");
        try (Scope scope = Scope.open()) {
            Map<String, org.bytedeco.pytorch.Tensor> tensors =
                    Map.of("x", new Seed(1).normal(Placement.cpu(Precision.FLOAT), 4, 3));
            if (sealed) {
                SafetensorsWriter.writeSealed(file, tensors, Map.of("note", "\"crc32c\":\"ffffffff\""));
            } else {
                SafetensorsWriter.write(file, tensors, Map.of());
            }
        }
        return file;
    }

    @Test
    void a_sealed_file_is_intact_until_any_bit_of_it_flips() throws IOException {
        Path file = written(true);
        byte[] whole = Files.readAllBytes(file);
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            assertThat(opened.isIntact()).isTrue();
            assertThat(opened.seal()).matches("[0-9a-f]{8}");
            opened.requireIntact();
        }
        for (int at = whole.length - 48; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= 4;
            Files.write(file, flipped);
            try (SafetensorsFile opened = SafetensorsFile.open(file)) {
                assertThat(opened.isIntact()).as("byte %d", at).isFalse();
                assertThatThrownBy(opened::requireIntact).isInstanceOf(SafetensorsException.class);
            }
        }
    }

    @Test
    void a_file_that_was_never_sealed_does_not_count_as_intact() throws IOException {
        try (SafetensorsFile opened = SafetensorsFile.open(written(false))) {
            assertThat(opened.seal()).isEmpty();
            assertThat(opened.isIntact()).isFalse();
        }
    }
}
