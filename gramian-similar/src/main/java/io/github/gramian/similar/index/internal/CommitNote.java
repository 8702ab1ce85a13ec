package io.github.gramian.similar.index.internal;

import java.nio.file.Path;
import java.util.Map;

/**
 * What is stored with each commit of Lucene, and so changes together with the photographs.
 *
 * @param root directory of the photographs
 * @param reduction checksum of the reduction that made the vectors
 * @param complete whether every photograph of the directory was indexed
 */
public record CommitNote(String root, String reduction, boolean complete) {

    private static final String ROOT = "root";
    private static final String REDUCTION = "reduction";
    private static final String COMPLETE = "complete";

    static CommitNote of(Map<String, String> stored) {
        return new CommitNote(
                stored.getOrDefault(ROOT, ""),
                stored.getOrDefault(REDUCTION, ""),
                Boolean.parseBoolean(stored.getOrDefault(COMPLETE, "")));
    }

    Map<String, String> stored() {
        return Map.of(ROOT, root, REDUCTION, reduction, COMPLETE, Boolean.toString(complete));
    }

    /** Refuses photographs that were reduced by another reduction. */
    void require(Manifest manifest, Path index) {
        if (!reduction.equals(manifest.reduction())) {
            throw new IndexException(
                    index + " holds vectors of another reduction than its manifest names; were files of two"
                            + " indexes mixed? Build the index again");
        }
    }
}
