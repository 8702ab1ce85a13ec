package io.github.gramian.similar.index.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestTest {

    private static final Manifest MANIFEST = new Manifest("/models/ö \"x\".gramian", "ab".repeat(32), "0badcafe", 256);

    @TempDir
    private Path folder;

    @Test
    void a_manifest_is_read_as_it_was_written() throws IOException {
        Path file = folder.resolve("manifest.json");
        MANIFEST.write(file);
        assertThat(Manifest.read(file)).isEqualTo(MANIFEST);
    }

    @Test
    void a_flipped_bit_in_any_byte_is_reported() throws IOException {
        Path file = folder.resolve("manifest.json");
        MANIFEST.write(file);
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= (byte) (1 << i % 8);
            assertThatThrownBy(() -> Manifest.parse(bad)).as("byte %d", i).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void the_format_of_a_newer_version_is_named() throws IOException {
        Path file = folder.resolve("manifest.json");
        MANIFEST.write(file);
        String newer = Files.readString(file).replace("gramian-index-1", "gramian-index-9");
        assertThatThrownBy(() -> Manifest.parse(newer.getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining("gramian-index-9")
                .hasMessageContaining("version");
    }
}
