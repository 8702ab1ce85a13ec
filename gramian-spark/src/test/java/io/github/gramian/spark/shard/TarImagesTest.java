package io.github.gramian.spark.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.io.internal.TarWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TarImagesTest {

    private static final long LIMIT = 10_000;
    private static final String LONG = "a folder/".repeat(30) + "ü.jpg";

    private static Map<String, byte[]> someFiles() {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("0001.jpg", bytes(700, 1));
        files.put("0001.cls", bytes(1, 2));
        files.put("deep/0002.PNG", bytes(512, 3));
        files.put("0003.webp", bytes(0, 4));
        files.put(LONG, bytes(1025, 5));
        files.put("x".repeat(96) + ".jpg", bytes(10, 6)); // exactly the 100 bytes that fit
        files.put("y".repeat(97) + ".jpg", bytes(11, 7)); // one more
        files.put(".hidden.jpg", bytes(3, 8));
        return files;
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] ours(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TarWriter writer = new TarWriter(out)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                writer.add(file.getKey(), file.getValue());
            }
        }
        return out.toByteArray();
    }

    private static byte[] theirs(Map<String, byte[]> files, int longNames) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TarArchiveOutputStream writer = new TarArchiveOutputStream(out, "UTF-8")) {
            writer.setLongFileMode(longNames);
            writer.putArchiveEntry(new TarArchiveEntry("deep/"));
            writer.closeArchiveEntry();
            TarArchiveEntry link = new TarArchiveEntry("link.jpg", TarArchiveEntry.LF_SYMLINK);
            link.setLinkName("/etc/passwd");
            writer.putArchiveEntry(link);
            writer.closeArchiveEntry();
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(file.getKey());
                entry.setSize(file.getValue().length);
                writer.putArchiveEntry(entry);
                writer.write(file.getValue());
                writer.closeArchiveEntry();
            }
        }
        return out.toByteArray();
    }

    private static List<ImageEntry> read(byte[] archive) throws IOException {
        List<ImageEntry> entries = new ArrayList<>();
        try (ShardSource.TarImages reader = new ShardSource.TarImages(new ByteArrayInputStream(archive), LIMIT)) {
            for (ImageEntry entry = reader.next(); entry != null; entry = reader.next()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private static void assertImagesOf(Map<String, byte[]> files, List<ImageEntry> found) {
        List<String> images =
                files.keySet().stream().filter(ImageEntry::isImage).toList();
        assertThat(found).extracting(ImageEntry::name).containsExactlyElementsOf(images);
        assertThat(images).hasSize(6);
        for (ImageEntry entry : found) {
            assertThat(entry.refused()).isNull();
            assertThat(entry.content()).isEqualTo(files.get(entry.name()));
        }
    }

    @Test
    void what_we_write_we_read_and_others_read_too() throws IOException {
        byte[] archive = ours(someFiles());
        assertImagesOf(someFiles(), read(archive));
        Map<String, byte[]> theirView = new LinkedHashMap<>();
        try (TarArchiveInputStream reader = new TarArchiveInputStream(new ByteArrayInputStream(archive), "UTF-8")) {
            for (TarArchiveEntry entry = reader.getNextEntry(); entry != null; entry = reader.getNextEntry()) {
                theirView.put(entry.getName(), reader.readAllBytes());
            }
        }
        assertThat(theirView.keySet()).containsExactlyElementsOf(someFiles().keySet());
        theirView.forEach(
                (name, content) -> assertThat(content).isEqualTo(someFiles().get(name)));
    }

    @ParameterizedTest
    @ValueSource(ints = {TarArchiveOutputStream.LONGFILE_POSIX, TarArchiveOutputStream.LONGFILE_GNU})
    void archives_of_other_writers_are_read_and_links_and_folders_are_skipped(int longNames) throws IOException {
        assertImagesOf(someFiles(), read(theirs(someFiles(), longNames)));
    }

    @Test
    void equal_files_are_equal_archives() throws IOException {
        assertThat(ours(someFiles())).isEqualTo(ours(someFiles()));
    }

    @Test
    void an_image_beyond_the_limit_is_refused_and_the_next_is_read() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("large.jpg", bytes((int) LIMIT + 1, 1));
        files.put("small.jpg", bytes((int) LIMIT, 2));
        List<ImageEntry> entries = read(ours(files));
        assertThat(entries.get(0).refused()).contains("10001").contains("10000");
        assertThat(entries.get(0).content()).isEmpty();
        assertThat(entries.get(1).content()).isEqualTo(files.get("small.jpg"));
    }

    @Test
    void an_archive_that_is_cut_off_anywhere_gives_its_complete_images_and_an_error() throws IOException {
        byte[] archive = ours(someFiles());
        int full = read(archive).size();
        for (int length = 1; length < archive.length - 1024; length += 37) {
            byte[] part = Arrays.copyOf(archive, length);
            if (length % 512 != 0) {
                assertThatThrownBy(() -> read(part)).isInstanceOf(ShardException.class);
            }
        }
        assertThat(read(Arrays.copyOf(archive, archive.length - 1024))).hasSize(full); // no end mark: tolerated
        assertThat(read(new byte[0])).isEmpty();
    }

    @Test
    void a_header_that_claims_terabytes_costs_nothing() throws IOException {
        byte[] archive = ours(Map.of("a.jpg", bytes(5, 1)));
        archive[124] = (byte) 0x80; // a binary number
        Arrays.fill(archive, 125, 136, (byte) 0);
        archive[129] = 0x7F;
        fixSum(archive);
        assertThatThrownBy(() -> read(archive))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("cut off");
        Arrays.fill(archive, 124, 136, (byte) 0xFF);
        fixSum(archive);
        assertThatThrownBy(() -> read(archive))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("too large");
        byte[] longHeader = ours(Map.of(LONG, bytes(5, 1)));
        Arrays.fill(longHeader, 124, 135, (byte) '7');
        fixSum(longHeader);
        assertThatThrownBy(() -> read(longHeader))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("extended tar header");
    }

    private static void fixSum(byte[] archive) {
        Arrays.fill(archive, 148, 156, (byte) ' ');
        int sum = 0;
        for (int i = 0; i < 512; i++) {
            sum += archive[i] & 0xFF;
        }
        byte[] digits = String.format(Locale.ROOT, "%06o\0 ", sum).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, archive, 148, 8);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void hostile_bytes_are_an_error_or_images_and_never_anything_else(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] archive = theirs(someFiles(), TarArchiveOutputStream.LONGFILE_POSIX);
        for (int trial = 0; trial < 2_000; trial++) {
            byte[] hostile = archive.clone();
            for (int change = random.nextInt(1, 6); change > 0; change--) {
                hostile[random.nextInt(hostile.length)] = (byte) random.nextInt();
            }
            if (random.nextBoolean()) {
                fixSum(hostile);
            }
            try {
                for (ImageEntry entry : read(hostile)) {
                    assertThat(entry.content().length).isLessThanOrEqualTo((int) LIMIT);
                    assertThat(entry.name()).isNotEmpty();
                }
            } catch (ShardException expected) {
                assertThat(expected).hasMessageMatching("(?s).*byte.*");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.jpg",
                "b/a.JPEG",
                "a.jpe",
                "a.jfif",
                "x.y/a.b.png",
                "a.webp",
                "a.bmp",
                "a.tif",
                "a.tiff",
                "a.gif"
            })
    void names_of_images_are_those_of_datasets(String name) {
        assertThat(ImageEntry.isImage(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.txt", "a", "png", "photos.jpg/gif", ".jpg", "b/._a.jpg", "a.jpg.txt", ""})
    void other_names_are_not_images(String name) {
        assertThat(ImageEntry.isImage(name)).isFalse();
    }
}
