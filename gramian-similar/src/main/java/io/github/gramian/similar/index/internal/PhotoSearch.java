package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.lucene.search.Query;
import org.jspecify.annotations.Nullable;

/** Photographs by their vectors, in one index or in many parts. Safe for use by many threads; only {@link #close} must come last. */
public interface PhotoSearch extends AutoCloseable {

    /** Number of photographs. */
    int count();

    /** What the build noted. */
    Note note() throws IOException;

    /** Whether the files still are those that were opened. */
    boolean isLatest() throws IOException;

    /**
     * The photographs whose vectors are nearest, the nearest first.
     *
     * @param query of unit length
     * @param filter photographs that may be returned; null for all
     */
    List<VectorIndex.Neighbour> search(float[] query, int top, @Nullable Query filter) throws IOException;

    /** The vector of a photograph with this content, if there is one. */
    Optional<float[]> vectorOfContent(String sha256) throws IOException;

    @Override
    void close() throws IOException;

    /**
     * What is stored with each commit of Lucene, and so changes together with the photographs.
     *
     * @param root directory of the photographs
     * @param reduction checksum of the reduction that made the vectors
     * @param complete whether every photograph of the directory was indexed
     */
    record Note(String root, String reduction, boolean complete) {

        private static final String ROOT = "root";
        private static final String REDUCTION = "reduction";
        private static final String COMPLETE = "complete";

        static Note of(Map<String, String> stored) {
            return new Note(
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

    /**
     * An open index with its settings, whether it is one or has parts.
     *
     * @param settings manifest and reduction, which are the same for all parts
     * @param photos its photographs
     */
    record Opened(IndexFolder.Settings settings, PhotoSearch photos) {

        /** Opens the latest commit, or all parts. */
        public static Opened of(Path path) throws IOException {
            IndexFolder folder = new IndexFolder(path);
            if (Manifest.hasParts(path)) {
                Manifest parts = Manifest.readParts(path);
                return new Opened(folder.settings(parts.common()), PartedIndex.open(path, parts));
            }
            IndexFolder.Settings settings = folder.settings();
            return new Opened(settings, VectorIndex.open(folder, settings.manifest()));
        }
    }
}
