package io.github.gramian.layer.internal;

import io.github.gramian.layer.Phase;
import io.github.gramian.layer.internal.RunningMean.MeanParameter;
import io.github.gramian.tensor.Seed;
import org.jspecify.annotations.Nullable;

/**
 * A part of a training step that several processes compute together. Random values are drawn for the whole batch, and running
 * means wait for {@link MeanParameter#foldIn}.
 */
public final class ShardPhase extends Phase {

    private final BatchShard shard;

    public ShardPhase(Seed stepSeed, BatchShard shard) {
        super(true, stepSeed);
        this.shard = shard;
    }

    /** The shard that is computed here; null if this process computes the whole batch. */
    public static @Nullable BatchShard shardOf(Phase phase) {
        return phase instanceof ShardPhase sharded ? sharded.shard : null;
    }

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
}
