package io.github.gramian.distributed.internal;

import io.github.gramian.distributed.DistributedConfig;

/**
 * The shard of a sequence of items that one process takes: those at indices first to first + count − 1.
 *
 * @param first index of the first one
 * @param count of them; 0 where there are more processes than items
 */
public record IndexRange(int first, int count) {

    /**
     * The shard of some items that belongs to a process; each item belongs to exactly one process. Shards are contiguous, in
     * the order of ranks, and none is larger than another by more than one, the larger ones first.
     */
    public static IndexRange of(int items, DistributedConfig processes) {
        int rank = processes.rank();
        int size = processes.size();
        int each = items / size;
        int larger = items % size;
        return new IndexRange(rank * each + Math.min(rank, larger), each + (rank < larger ? 1 : 0));
    }
}
