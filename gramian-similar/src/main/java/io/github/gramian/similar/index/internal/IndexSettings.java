package io.github.gramian.similar.index.internal;

import io.github.gramian.similar.vector.internal.Reduction;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How an index is built.
 *
 * @param dimensions of a vector; used when the index is created
 * @param like another index of the same model, whose principal components are used when this one is created
 * @param batch images per batch
 * @param commitEvery images after which the work so far is committed
 * @param rehash whether contents are compared even if size and time of a file are unchanged
 */
public record IndexSettings(int dimensions, Optional<Path> like, int batch, int commitEvery, boolean rehash) {

    public IndexSettings {
        if (dimensions < 1 || dimensions > Reduction.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(
                    "dimensions must lie in 1.." + Reduction.MAX_DIMENSIONS + " but is " + dimensions);
        }
        if (batch < 1) {
            throw new IllegalArgumentException("batch must be at least 1 but is " + batch);
        }
        if (commitEvery < 1) {
            throw new IllegalArgumentException("commitEvery must be at least 1 but is " + commitEvery);
        }
    }

    /** 256 dimensions, batches of 16, a commit per 2,000 images. */
    public static IndexSettings defaults() {
        return new IndexSettings(256, Optional.empty(), 16, 2000, false);
    }
}
