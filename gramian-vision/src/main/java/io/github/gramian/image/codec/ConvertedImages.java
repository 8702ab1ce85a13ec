package io.github.gramian.image.codec;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.natives.internal.UserCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Converted images in a directory, each named by the SHA-256 of the original file. If they take more than the capacity, the
 * ones that were not used for the longest time are deleted. A cache that cannot be written only costs time.
 */
final class ConvertedImages {

    /** 4 GiB: about 500 photographs of 12 megapixels. */
    private static final long CAPACITY = 4L << 30;

    private static final String ENDING = ".jpg";

    private final Optional<Path> directory;
    private final long capacity;

    private ConvertedImages(Optional<Path> directory, long capacity) {
        this.directory = directory;
        this.capacity = capacity;
    }

    /** Stores nothing. */
    static ConvertedImages none() {
        return new ConvertedImages(Optional.empty(), 0);
    }

    static ConvertedImages in(Path directory, long capacity) {
        return new ConvertedImages(Optional.of(directory), capacity);
    }

    /** In the user's cache directory, such as {@code ~/.cache/gramian/heif}; stores nothing for a user without a home. */
    static ConvertedImages ofUser() {
        return UserCache.current()
                .gramian()
                .map(cache -> in(cache.resolve("heif"), CAPACITY))
                .orElseGet(ConvertedImages::none);
    }

    Optional<byte[]> get(String key) {
        if (directory.isEmpty()) {
            return Optional.empty();
        }
        Path file = directory.get().resolve(key + ENDING);
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > capacity) {
                return Optional.empty();
            }
            byte[] content = Files.readAllBytes(file);
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
            return Optional.of(content);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    void put(String key, byte[] content) {
        if (directory.isEmpty() || content.length > capacity) {
            return;
        }
        try {
            makePrivate(directory.get());
            AtomicFile.writeBytes(directory.get().resolve(key + ENDING), ByteBuffer.wrap(content));
            trim(directory.get());
        } catch (IOException | UncheckedIOException e) {
            // The image is converted again the next time.
        }
    }

    /** Photographs are nobody else's business. */
    private static void makePrivate(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (Files.isDirectory(folder) || parent == null) {
            return;
        }
        AtomicFile.makeFolder(parent);
        if (Files.getFileStore(parent).supportsFileAttributeView(PosixFileAttributeView.class)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectory(folder);
        }
    }

    private record Stored(Path file, long bytes, FileTime used) {

        static Stored of(Path file) {
            try {
                return new Stored(file, Files.size(file), Files.getLastModifiedTime(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void trim(Path folder) throws IOException {
        List<Stored> newestFirst;
        try (Stream<Path> files = Files.list(folder)) {
            newestFirst = files.filter(file -> file.toString().endsWith(ENDING))
                    .map(Stored::of)
                    .sorted(Comparator.comparing(Stored::used).reversed())
                    .toList();
        }
        long total = 0;
        for (Stored stored : newestFirst) {
            total += stored.bytes;
            if (total > capacity) {
                Files.deleteIfExists(stored.file);
            }
        }
    }
}
