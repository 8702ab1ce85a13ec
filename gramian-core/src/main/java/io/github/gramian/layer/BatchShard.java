package io.github.gramian.layer;

/**
 * Which rows of a batch a process computes when several share it: rows first to first + rows − 1 of all.
 *
 * @param first row
 * @param rows of this process; at least 1
 * @param all rows of the batch
 */
public record BatchShard(long first, long rows, long all) {

    public BatchShard {
        if (first < 0 || rows < 1 || first + rows > all) {
            throw new IllegalArgumentException(
                    "rows " + first + " to " + (first + rows - 1) + " are no part of a batch of " + all);
        }
    }

    /** The weight of this part's mean in the mean over the batch. */
    double share() {
        return (double) rows / all;
    }
}
