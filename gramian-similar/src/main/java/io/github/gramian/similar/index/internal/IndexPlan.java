package io.github.gramian.similar.index.internal;

import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.FileNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an index lacks to be that of a directory.
 *
 * @param described photographs whose descriptors must be computed
 * @param moved photographs that another indexed file has the content of, so that its vector is reused: new photograph → path
 *     of the indexed one
 * @param deleted paths that are no longer there
 * @param unchanged number of photographs that stay as they are
 * @param changed number of described photographs whose path was indexed with other content
 * @param different number of different contents among the photographs
 * @param unreadable number of files and directories that cannot be read; what is indexed of them stays
 */
record IndexPlan(
        List<Photo> described,
        Map<Photo, String> moved,
        List<String> deleted,
        long unchanged,
        long changed,
        int different,
        int unreadable) {

    /**
     * Compares an index with a directory. A file with the size and time that are indexed is unchanged; of all others the content is
     * hashed.
     *
     * @param index null if nothing is indexed yet
     * @param rehash whether the content is compared even if size and time are equal
     */
    static IndexPlan of(@Nullable VectorIndex index, Path root, boolean rehash, Consumer<String> notes)
            throws IOException {
        Scan scan = Scan.of(root, notes);
        Map<String, Photo> files = scan.files();
        if (index != null && index.count() > 0 && files.isEmpty()) {
            throw new IndexException(root + " contains no images that can be read, but the index has " + index.count()
                    + "; is the disk mounted? If they were deleted, delete the index as well");
        }
        List<String> deleted = new ArrayList<>();
        Map<String, String> known = new HashMap<>();
        Map<String, String> contents = new HashMap<>();
        Set<String> different = new HashSet<>();
        long[] unchanged = {0};
        if (index != null) {
            index.eachPhoto(photo -> {
                Photo file = files.get(photo.path());
                contents.putIfAbsent(photo.sha256(), photo.path());
                if (file == null) {
                    if (!scan.hides(photo.path())) {
                        deleted.add(photo.path());
                    }
                } else if (!rehash && photo.looksLike(file)) {
                    files.remove(photo.path());
                    unchanged[0]++;
                    different.add(photo.sha256());
                } else {
                    known.put(photo.path(), photo.sha256());
                }
            });
        }
        List<Photo> described = new ArrayList<>();
        Map<Photo, String> moved = new LinkedHashMap<>();
        long changed = 0;
        for (Photo file : files.values()) {
            Optional<Photo> hashed = scan.hashed(root, file, notes);
            if (hashed.isEmpty()) {
                continue;
            }
            Photo photo = hashed.get();
            different.add(photo.sha256());
            String same = contents.get(photo.sha256());
            if (same != null) {
                moved.put(photo, same);
            } else {
                described.add(photo);
                changed += known.containsKey(photo.path()) ? 1 : 0;
            }
        }
        return new IndexPlan(
                described,
                moved,
                deleted,
                unchanged[0],
                changed,
                different.size(),
                scan.unreadable().size());
    }

    boolean isEmpty() {
        return described.isEmpty() && moved.isEmpty() && deleted.isEmpty();
    }

    /**
     * The image files below a directory.
     *
     * @param files those that can be read, by their paths relative to the directory, with size and time and not yet with hashes
     * @param unreadable paths of the files and directories that cannot be read
     */
    record Scan(Map<String, Photo> files, Set<String> unreadable) {

        /** Files that vanish meanwhile are left out. */
        static Scan of(Path root, Consumer<String> notes) {
            Scan scan = new Scan(new TreeMap<>(), new TreeSet<>());
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
}
