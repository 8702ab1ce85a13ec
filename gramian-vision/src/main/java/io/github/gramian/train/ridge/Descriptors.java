package io.github.gramian.train.ridge;

import org.bytedeco.pytorch.Tensor;

/**
 * Descriptors, one a row, made or read when they are asked for. The same range must give the same numbers every time:
 * rows that do not fit into memory are asked for again.
 */
public interface Descriptors {

    /** How many rows there are. */
    long count();

    /** How many numbers a row has. */
    long length();

    /** The rows from (inclusive) to (exclusive), [to − from, length], in float or double, in the caller's scope. */
    Tensor rows(long from, long to);

    /** These rows, then those of the other. */
    default Descriptors then(Descriptors other) {
        return new ConcatenatedDescriptors(this, other);
    }
}
