package io.github.gramian.spark.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.io.internal.TarWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
    void an_image_beyond_the_limit_is_refused_and_the_next_is_read() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("large.jpg", bytes((int) LIMIT + 1, 1));
        files.put("small.jpg", bytes((int) LIMIT, 2));
        List<ImageEntry> entries = read(ours(files));
        assertThat(entries.get(0).refused()).contains("10001").contains("10000");
        assertThat(entries.get(0).content()).isEmpty();
        assertThat(entries.get(1).content()).isEqualTo(files.get("small.jpg"));
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
