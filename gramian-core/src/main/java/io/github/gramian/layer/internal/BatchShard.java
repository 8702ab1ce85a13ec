package io.github.gramian.layer.internal;

/**
 * The shard of a batch that one of several processes computes: rows first to first + rows − 1 of all.
 *
 * @param first row
 * @param rows of this process; at least 1
 * @param all rows of the batch
 */
public record BatchShard(long first, long rows, long all) {

    public BatchShard {
        if (first < 0 || rows < 1 || first + rows > all) {
            throw new IllegalArgumentException(
                    "rows " + first + " to " + (first + rows - 1) + " are not part of a batch of " + all);
        }
    }

    /** The weight of this shard's mean in the mean over the batch. */
    double share() {
        return (double) rows / all;
    }
}
