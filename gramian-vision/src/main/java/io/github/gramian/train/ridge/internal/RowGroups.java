package io.github.gramian.train.ridge.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rows that are left out together, sorted by the number of rows, so that groups of one size are solved at once.
 *
 * @param sizes for each size, the rows of every group of that size: [groups][size]
 * @param count number of rows
 */
record RowGroups(List<long[][]> sizes, int count) {

    RowGroups {
        sizes = List.copyOf(sizes);
    }

    /** @param numbers the number of the group of each row */
    static RowGroups of(int[] numbers) {
        return outside(numbers, 0, 0);
    }

    /** The groups of all rows outside of a block. */
    static RowGroups outside(int[] numbers, int from, int to) {
        Map<Integer, List<Long>> members = new LinkedHashMap<>();
        for (int row = 0; row < numbers.length; row++) {
            if (row < from || row >= to) {
                members.computeIfAbsent(numbers[row], group -> new ArrayList<>())
                        .add((long) row);
            }
        }
        return of(members.values(), numbers.length - (to - from));
    }

    private static RowGroups of(Collection<List<Long>> groups, int count) {
        Map<Integer, List<long[]>> bySize = new TreeMap<>();
        for (List<Long> rows : groups) {
            bySize.computeIfAbsent(rows.size(), size -> new ArrayList<>())
                    .add(rows.stream().mapToLong(Long::longValue).toArray());
        }
        return new RowGroups(
                bySize.values().stream().map(one -> one.toArray(long[][]::new)).toList(), count);
    }

    /** Whether every row stands alone. */
    boolean single() {
        return sizes.size() == 1 && sizes.get(0)[0].length == 1;
    }

    /** The rows of groups of one size, group after group. */
    static long[] flat(long[][] groups) {
        return Arrays.stream(groups).flatMapToLong(Arrays::stream).toArray();
    }
}
