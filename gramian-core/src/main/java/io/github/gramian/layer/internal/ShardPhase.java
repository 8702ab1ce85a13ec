package io.github.gramian.layer.internal;

import io.github.gramian.layer.Phase;
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
}
