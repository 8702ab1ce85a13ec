package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both sums against values that are published with their standards (FIPS 180-2, RFC 3720). */
class ChecksumsTest {

    private static final String SHA_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    private static final String CRC_OF_DIGITS = "e3069283";

    @TempDir
    Path folder;

    @Test
    void sha256_of_a_string_of_bytes_and_of_a_file_are_the_published_one() throws IOException {
        assertThat(Sha256.of("abc")).isEqualTo(SHA_OF_ABC);
        assertThat(Sha256.of("abc".getBytes(StandardCharsets.UTF_8))).isEqualTo(SHA_OF_ABC);
        Path file = Files.writeString(folder.resolve("abc"), "abc");
        assertThat(new Sha256().add(file).hex()).isEqualTo(SHA_OF_ABC);
    }

    @Test
    void a_sha256_starts_again_after_it_was_read() {
        try (Sha256 sum = new Sha256()) {
            assertThat(sum.write(ByteBuffer.wrap(new byte[] {'a', 'b'}))).isEqualTo(2);
            assertThat(sum.isOpen()).isTrue();
            assertThat(sum.hex()).hasSize(64);
            sum.write(ByteBuffer.wrap("abc".getBytes(StandardCharsets.UTF_8)));
            assertThat(sum.hex()).isEqualTo(SHA_OF_ABC);
        }
    }

    @Test
    void crc32c_of_a_string_and_of_a_file_are_the_published_one() throws IOException {
        assertThat(Checksum.of("123456789")).isEqualTo(CRC_OF_DIGITS).hasSize(Checksum.DIGITS);
        Path file = Files.writeString(folder.resolve("digits"), "x123456789x");
        try (FileChannel channel = FileChannel.open(file);
                Checksum sum = new Checksum()) {
            assertThat(sum.add(channel, 1, 10).hex()).isEqualTo(CRC_OF_DIGITS);
            assertThat(sum.value()).isEqualTo(0xe3069283L);
            assertThat(sum.isOpen()).isTrue();
        }
    }
}
