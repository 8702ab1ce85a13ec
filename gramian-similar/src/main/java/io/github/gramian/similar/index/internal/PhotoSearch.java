package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.lucene.search.Query;
import org.jspecify.annotations.Nullable;

/** Photographs by their vectors, in one index or in many parts. Safe for use by many threads; only {@link #close} must come last. */
public interface PhotoSearch extends AutoCloseable {

    /** Number of photographs. */
    int count();

    /** What the build noted. */
    CommitNote note() throws IOException;

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
}
