package io.github.gramian.similar.index.internal;

import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.FileNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The image files below a directory.
 *
 * @param files those that can be read, by their paths relative to the directory, with size and time and not yet with hashes
 * @param unreadable paths of the files and directories that cannot be read
 */
record PhotoScan(Map<String, Photo> files, Set<String> unreadable) {

    /** Files that vanish meanwhile are left out. */
    static PhotoScan of(Path root, Consumer<String> notes) {
        PhotoScan scan = new PhotoScan(new TreeMap<>(), new TreeSet<>());
        for (Path file : Layouts.images(root, notes)) {
            String path = FileNames.text(root.relativize(file)).replace('\\', '/');
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                if (attributes.isRegularFile()) {
                    long millis = attributes.lastModifiedTime().toMillis();
                    scan.files.put(path, new Photo(path, "", attributes.size(), millis));
                    continue;
                }
            } catch (IOException e) {
                // Listed below if it is still there.
            }
            scan.addUnreadable(root, path, notes);
        }
        return scan;
    }

    /** A photograph with the hash of its file; empty if the file cannot be read. */
    Optional<Photo> hashed(Path root, Photo photo, Consumer<String> notes) {
        Optional<String> sha256 = ContentHash.ofFile(FileNames.within(root, photo.path()));
        if (sha256.isEmpty()) {
            addUnreadable(root, photo.path(), notes);
        }
        return sha256.map(sum -> new Photo(photo.path(), sum, photo.bytes(), photo.millis()));
    }

    private void addUnreadable(Path root, String path, Consumer<String> notes) {
        Path file = FileNames.within(root, path);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            unreadable.add(path);
            notes.accept(file + " cannot be read; what the index has of it is kept");
        }
    }

    /** Whether a path is that of something that cannot be read, or lies below it. */
    boolean hides(String path) {
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            if (unreadable.contains(path.substring(0, end))) {
                return true;
            }
        }
        return false;
    }
}
