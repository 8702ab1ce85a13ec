package io.github.gramian.spark.index;

import io.github.gramian.similar.vector.internal.Reduction;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an index job.
 *
 * @param table folder of a described table
 * @param output folder of the parts
 * @param model path of the model that described the images; only the driver reads it
 * @param dimensions of a vector; used when the output is new
 * @param like folder of other parts, or of an index, whose principal components a new output takes; null for new ones
 * @param parts number of parts; 0 for a number that fits the cluster and the table
 * @param maxRejected fraction of the rows that may end in quarantine before the job fails
 */
public record IndexJobSettings(
        String table,
        String output,
        String model,
        int dimensions,
        @Nullable String like,
        int parts,
        double maxRejected) {

    private static final int MAX_PARTS = 90_000;

    public IndexJobSettings {
        if (dimensions < 1 || dimensions > Reduction.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(
                    "dimensions must lie in 1.." + Reduction.MAX_DIMENSIONS + " but is " + dimensions);
        }
        if (parts < 0 || parts > MAX_PARTS) {
            throw new IllegalArgumentException("parts must lie in 0.." + MAX_PARTS + " but is " + parts);
        }
        if (!(maxRejected >= 0 && maxRejected <= 1)) {
            throw new IllegalArgumentException("maxRejected must lie in 0..1 but is " + maxRejected);
        }
    }

    /** 256 dimensions, and defaults for everything else. */
    public static IndexJobSettings defaults(String table, String output, String model) {
        return new IndexJobSettings(table, output, model, 256, null, 0, 0.5);
    }
}
