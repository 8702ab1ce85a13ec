package io.github.gramian.train.ridge.internal;

import java.util.stream.IntStream;

/** Descriptors with the class of each. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LabelledRows(Descriptors rows, int[] labels) {

    int count() {
        return labels.length;
    }

    LabelledRows then(LabelledRows other) {
        return new LabelledRows(
                rows.then(other.rows),
                IntStream.concat(IntStream.of(labels), IntStream.of(other.labels))
                        .toArray());
    }

    int[] labels(int[] some) {
        return IntStream.of(some).map(row -> labels[row]).toArray();
    }
}
