package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.io.internal.TarReader.TarException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives of other programs are read by the tests of gramian-spark, which has one of them at hand. */
class TarReaderTest {

    private static final String LONG = "a folder/".repeat(30) + "ü.bin";
    private static final int MAX = 10_000;

    private static Map<String, byte[]> someFiles() {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("empty", new byte[0]);
        files.put(LONG, bytes(1025, 1));
        files.put("../../outside", bytes(512, 2));
        files.put("x".repeat(100), bytes(700, 3));
        return files;
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] archive(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TarWriter writer = new TarWriter(out)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                writer.add(file.getKey(), file.getValue());
            }
        }
        return out.toByteArray();
    }

    /** All members; every second content is copied through a stream. */
    private static Map<String, byte[]> read(byte[] archive, long maxBytes) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        try (TarReader reader = new TarReader(new ByteArrayInputStream(archive), maxBytes)) {
            for (TarReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                ByteArrayOutputStream copy = new ByteArrayOutputStream();
                if (files.size() % 2 == 0) {
                    copy.writeBytes(reader.content(MAX));
                } else {
                    reader.copyTo(copy);
                }
                assertThat(copy.size()).isEqualTo((int) entry.size());
                files.put(entry.name(), copy.toByteArray());
            }
        }
        return files;
    }

    @Test
    void members_come_in_their_order_with_their_bytes() throws IOException {
        byte[] archive = archive(someFiles());
        Map<String, byte[]> found = read(archive, archive.length);
        assertThat(found.keySet()).containsExactlyElementsOf(someFiles().keySet());
        found.forEach(
                (name, content) -> assertThat(content).isEqualTo(someFiles().get(name)));
        assertThat(read(Arrays.copyOf(archive, archive.length - 1024), archive.length))
                .hasSize(4); // no end mark
        assertThat(read(new byte[0], 0)).isEmpty();
    }

    @Test
    void contents_that_are_not_read_are_skipped() throws IOException {
        try (TarReader reader = new TarReader(new ByteArrayInputStream(archive(someFiles())), Long.MAX_VALUE)) {
            for (String name : someFiles().keySet()) {
                assertThat(reader.next())
                        .isEqualTo(new TarReader.Entry(name, someFiles().get(name).length, true));
            }
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void more_than_the_caller_allows_is_refused() throws IOException {
        byte[] archive = archive(someFiles());
        assertThatThrownBy(() -> read(archive, 2_000))
                .isInstanceOf(TarException.class)
                .hasMessageContaining("unpacks to more than 2000 bytes");
        byte[] large = archive(Map.of("large", new byte[MAX + 1]));
        assertThatThrownBy(() -> read(large, Long.MAX_VALUE)).hasMessageContaining("10001 bytes, more than 10000");
    }

    @Test
    void an_archive_that_is_cut_off_anywhere_is_reported() throws IOException {
        byte[] archive = archive(someFiles());
        for (int length = 1; length < archive.length - 1024; length += 37) {
            byte[] part = Arrays.copyOf(archive, length);
            if (length % 512 != 0) {
                assertThatThrownBy(() -> read(part, Long.MAX_VALUE))
                        .isInstanceOf(TarException.class)
                        .hasMessageContaining("cut off");
            }
        }
    }

    @Test
    void a_promise_of_terabytes_costs_nothing() throws IOException {
        byte[] archive = archive(Map.of("a", bytes(5, 1)));
        archive[124] = (byte) 0x80; // a binary number
        Arrays.fill(archive, 125, 136, (byte) 0);
        archive[129] = 0x7F;
        fixSum(archive);
        assertThatThrownBy(() -> read(archive, Long.MAX_VALUE)).hasMessageContaining("more than 10000");
        assertThatThrownBy(() -> read(archive, 1 << 20)).hasMessageContaining("unpacks to more than 1048576");
        Arrays.fill(archive, 124, 136, (byte) 0xFF);
        fixSum(archive);
        assertThatThrownBy(() -> read(archive, Long.MAX_VALUE)).hasMessageContaining("too large");
        byte[] longHeader = archive(Map.of(LONG, bytes(5, 1)));
        Arrays.fill(longHeader, 124, 135, (byte) '7');
        fixSum(longHeader);
        assertThatThrownBy(() -> read(longHeader, Long.MAX_VALUE)).hasMessageContaining("extended tar header");
    }

    @Test
    void twenty_thousand_chained_headers_are_passed_in_a_loop() throws IOException {
        byte[] one = Arrays.copyOf(archive(Map.of(LONG, new byte[0])), 1024);
        ByteArrayOutputStream chain = new ByteArrayOutputStream();
        for (int i = 0; i < 20_000; i++) {
            chain.writeBytes(one);
        }
        chain.writeBytes(archive(Map.of("a", bytes(5, 1))));
        assertThat(read(chain.toByteArray(), Long.MAX_VALUE)).containsOnlyKeys(LONG);
        assertThatThrownBy(() -> read(chain.toByteArray(), 1 << 20)).hasMessageContaining("unpacks to more than");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void hostile_bytes_are_an_error_or_members_and_never_anything_else(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] archive = archive(someFiles());
        for (int trial = 0; trial < 2_000; trial++) {
            byte[] hostile = archive.clone();
            for (int change = random.nextInt(1, 6); change > 0; change--) {
                hostile[random.nextInt(hostile.length)] = (byte) random.nextInt();
            }
            if (random.nextBoolean()) {
                fixSum(hostile);
            }
            try {
                read(hostile, Long.MAX_VALUE).forEach((name, content) -> {
                    assertThat(name).isNotEmpty();
                    assertThat(content.length).isLessThanOrEqualTo(archive.length);
                });
            } catch (TarException expected) {
                assertThat(expected).hasMessageMatching("(?s).*byte.*");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"9 path=\n", "99999 path=x\n", "x path=y\n", "11 path=abcd", "5\n", "-1 path=a\n"})
    void a_broken_extended_header_is_an_error(String record) {
        byte[] content = record.getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> {
                    TarReader.Pax header = TarReader.Pax.parse(content, 512);
                    throw new AssertionError("read as " + header);
                })
                .isInstanceOf(TarException.class);
    }

    private static void fixSum(byte[] archive) {
        byte[] sum = String.format(Locale.ROOT, "%06o\0 ", TarReader.Header.sum(Arrays.copyOf(archive, 512)))
                .getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(sum, 0, archive, 148, 8);
    }
}
