package io.github.gramian.train.ridge.internal;

import org.bytedeco.pytorch.Tensor;

/**
 * Descriptors, one a row, computed or read on demand. The same range must give the same values every time:
 * rows that do not fit into memory are requested again.
 */
public interface Descriptors {

    /** How many rows there are. */
    long count();

    /** Dimensions of a row. */
    long length();

    /** The rows from (inclusive) to (exclusive), [to − from, length], in float or double, in the caller's scope. */
    Tensor rows(long from, long to);

    /** These rows, then those of the other. */
    default Descriptors then(Descriptors other) {
        return new ConcatenatedDescriptors(this, other);
    }
}
