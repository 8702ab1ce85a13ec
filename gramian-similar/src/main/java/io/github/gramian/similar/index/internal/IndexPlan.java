package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
        PhotoScan scan = PhotoScan.of(root, notes);
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
}
