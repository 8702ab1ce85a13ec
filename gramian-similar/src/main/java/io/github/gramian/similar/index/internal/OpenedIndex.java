package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.Path;

/**
 * An open index with its settings, whether it is one or has parts.
 *
 * @param settings manifest and reduction, which are the same for all parts
 * @param photos its photographs
 */
public record OpenedIndex(IndexFolder.Settings settings, PhotoSearch photos) {

    /** Opens the latest commit, or all parts. */
    public static OpenedIndex of(Path path) throws IOException {
        IndexFolder folder = new IndexFolder(path);
        if (PartsManifest.isIn(path)) {
            PartsManifest parts = PartsManifest.read(path);
            return new OpenedIndex(folder.settings(parts.common()), PartedIndex.open(path, parts));
        }
        IndexFolder.Settings settings = folder.settings();
        return new OpenedIndex(settings, VectorIndex.open(folder, settings.manifest()));
    }
}
