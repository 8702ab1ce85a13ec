package io.github.gramian.train.ridge.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** One partition of the rows, sorted by fold so that a fold is a block. */
final class FoldPartition {
    final int[] order;
    final int[] borders;

    /** What each penalty gave in each fold. */
    final List<List<RidgeFit.Trial>> trials = new ArrayList<>();

    final List<List<int[]>> predicted = new ArrayList<>();

    /** The groups of the rows outside of each fold. */
    final List<RowGroups> others = new ArrayList<>();

    FoldPartition(int[] folds, int[] groups) {
        int count = Arrays.stream(folds).max().orElseThrow() + 1;
        this.order = IntStream.range(0, folds.length)
                .boxed()
                .sorted((a, b) -> folds[a] == folds[b] ? a - b : folds[a] - folds[b])
                .mapToInt(Integer::intValue)
                .toArray();
        this.borders = new int[count + 1];
        for (int fold : folds) {
            borders[fold + 1]++;
        }
        int[] sorted = IntStream.of(order).map(row -> groups[row]).toArray();
        for (int fold = 0; fold < count; fold++) {
            borders[fold + 1] += borders[fold];
            others.add(RowGroups.outside(sorted, borders[fold], borders[fold + 1]));
            trials.add(new ArrayList<>());
            predicted.add(new ArrayList<>());
        }
    }

    /** The rows outside of a fold, in the order of the partition. */
    int[] others(int fold) {
        return IntStream.range(0, order.length)
                .filter(i -> i < borders[fold] || i >= borders[fold + 1])
                .map(i -> order[i])
                .toArray();
    }

    int folds() {
        return borders.length - 1;
    }
}
