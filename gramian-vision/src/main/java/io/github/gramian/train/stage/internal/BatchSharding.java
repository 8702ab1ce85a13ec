package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.internal.IndexRange;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.internal.ShardPhase;
import io.github.gramian.layer.internal.ShardPhase.BatchShard;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;

/**
 * The shard of every batch that this process computes, where all processes of a group train together: the contiguous part
 * that belongs to its rank. A single process takes the whole batch.
 *
 * @param distributed the processes among which batches are sharded
 * @param batch images of a whole batch; the last one of an epoch may have fewer, and none for some ranks
 */
record BatchSharding(DistributedConfig distributed, int batch) {

    BatchSharding {
        if (distributed.size() > batch) {
            throw new IllegalArgumentException(distributed.size() + " processes cannot share batches of " + batch
                    + " images; start at most " + batch + " processes, or raise the batch in the recipe");
        }
    }

    /** Images of a full batch for this process. */
    int size() {
        return IndexRange.of(batch, distributed).count();
    }

    /** The images that this process takes of batches in an order, batch after batch. */
    int[] of(int[] order) {
        if (distributed.isSingleProcess()) {
            return order;
        }
        int[] own = new int[order.length];
        int taken = 0;
        for (int start = 0; start < order.length; start += batch) {
            IndexRange share = IndexRange.of(Math.min(batch, order.length - start), distributed);
            System.arraycopy(order, start + share.first(), own, taken, share.count());
            taken += share.count();
        }
        return Arrays.copyOf(own, taken);
    }

    /** Number of images that this process takes of a batch. */
    int countOf(int images) {
        return IndexRange.of(images, distributed).count();
    }

    /** The training phase for this process's shard of a batch, which has at least one image. */
    Phase phase(Seed seed, int images, int views) {
        if (distributed.isSingleProcess()) {
            return Phase.training(seed);
        }
        IndexRange share = IndexRange.of(images, distributed);
        return new ShardPhase(
                seed,
                new BatchShard((long) share.first() * views, (long) share.count() * views, (long) images * views));
    }
}
