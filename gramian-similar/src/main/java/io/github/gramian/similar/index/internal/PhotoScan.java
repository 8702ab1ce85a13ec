package io.github.gramian.similar.index.internal;

import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.FileNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The image files below a directory, by their paths relative to it. */
final class PhotoScan {

    private PhotoScan() {}

    /** All image files with size and time, not yet with hashes. Files that vanish meanwhile are left out. */
    static Map<String, Photo> of(Path root, Consumer<String> notes) {
        Map<String, Photo> found = new TreeMap<>();
        for (Path file : Layouts.images(root, notes)) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                String path = FileNames.text(root.relativize(file)).replace('\\', '/');
                found.put(
                        path,
                        new Photo(
                                path,
                                "",
                                attributes.size(),
                                attributes.lastModifiedTime().toMillis()));
            } catch (IOException e) {
                notes.accept(file + " cannot be read and is left out: " + e.getMessage());
            }
        }
        return found;
    }

    /** A photograph with the hash of its file; empty if the file cannot be read. */
    static Optional<Photo> hashed(Path root, Photo photo) {
        return ContentHash.ofFile(FileNames.within(root, photo.path()))
                .map(sha256 -> new Photo(photo.path(), sha256, photo.bytes(), photo.millis()));
    }
}
