package io.github.gramian.model.internal;

import java.io.IOException;
import java.util.List;

/**
 * An open index of photographs, searched by descriptors. It stays as it was when it was opened. Safe for use by many threads;
 * only {@link #close} must come last.
 */
public interface NeighbourSearch extends AutoCloseable {

    /**
     * A photograph that was found.
     *
     * @param file path relative to the indexed directory, with slashes
     * @param label first directory of this path; empty for files at the top
     * @param similarity −1 to 1
     */
    record Neighbour(String file, String label, float similarity) {}

    /**
     * Which photographs to find.
     *
     * @param top number of photographs
     * @param filters such as {@code label=oak}
     */
    record Query(int top, List<String> filters) {

        /** What is searched if a user asks for nothing else. */
        public static final int DEFAULT_TOP = 20;

        public Query {
            if (top < 1) {
                throw new IllegalArgumentException("top must be at least 1 but is " + top);
            }
            filters = List.copyOf(filters);
        }
    }

    /** Path of the model when the index was created. */
    String model();

    /** SHA-256 of the file of the model that described the photographs. */
    String modelSha256();

    /** Number of photographs. */
    int count();

    /** Whether the files of the index still hold the commit that was opened. */
    boolean isLatest() throws IOException;

    /**
     * Refuses a query that cannot be answered.
     *
     * @throws IllegalArgumentException if it asks for too many photographs, or if a filter is unknown
     */
    void check(Query query);

    /**
     * The photographs most similar to the one with this descriptor, the most similar first.
     *
     * @throws IllegalArgumentException if the descriptor is of another length, or as {@link #check}
     */
    List<Neighbour> find(float[] descriptor, Query query) throws IOException;

    @Override
    void close() throws IOException;
}
