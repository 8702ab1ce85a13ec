package io.github.gramian.distributed.internal;

/**
 * The shard of a sequence of items that one process takes: those at indices first to first + count − 1.
 *
 * @param first index of the first one
 * @param count of them; 0 where there are more processes than items
 */
public record IndexRange(int first, int count) {

    /** Contiguous parts in the order of ranks, none larger than another by more than one, the larger ones first. */
    public static IndexRange of(int items, int rank, int size) {
        int each = items / size;
        int larger = items % size;
        return new IndexRange(rank * each + Math.min(rank, larger), each + (rank < larger ? 1 : 0));
    }
}
