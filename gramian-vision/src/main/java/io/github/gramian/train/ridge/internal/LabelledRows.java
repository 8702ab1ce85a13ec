package io.github.gramian.train.ridge.internal;

import io.github.gramian.train.descriptor.internal.Descriptors;
import java.util.stream.IntStream;

/**
 * Descriptors with the class of each.
 *
 * @param groups number of the group of each row; rows of a group are left out together
 * @param shared whether the numbers mean the same in other rows that are added
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LabelledRows(Descriptors rows, int[] labels, int[] groups, boolean shared) {

    /** Every row stands alone. */
    LabelledRows(Descriptors rows, int[] labels) {
        this(rows, labels, IntStream.range(0, labels.length).toArray(), false);
    }

    int count() {
        return labels.length;
    }

    LabelledRows then(LabelledRows other) {
        boolean same = shared && other.shared;
        int first = same ? 0 : IntStream.of(groups).max().orElse(-1) + 1;
        return new LabelledRows(
                rows.then(other.rows),
                IntStream.concat(IntStream.of(labels), IntStream.of(other.labels))
                        .toArray(),
                IntStream.concat(
                                IntStream.of(groups), IntStream.of(other.groups).map(group -> first + group))
                        .toArray(),
                same);
    }

    int[] labels(int[] some) {
        return IntStream.of(some).map(row -> labels[row]).toArray();
    }
}
