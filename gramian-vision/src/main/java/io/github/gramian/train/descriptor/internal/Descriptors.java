package io.github.gramian.train.descriptor.internal;

import io.github.gramian.tensor.Placement;
import org.bytedeco.pytorch.Tensor;

/**
 * Descriptors, one a row, computed or read on demand. The same range must give the same values every time:
 * rows that do not fit into memory are requested again.
 */
public interface Descriptors {

    long count();

    long length();

    /** Bytes that all rows take in float, in memory or on disk. */
    default double bytes() {
        return DescriptorFile.bytes(count(), length());
    }

    /** The rows from (inclusive) to (exclusive), [to − from, length], in float or double, in the caller's scope. */
    Tensor rows(long from, long to);

    /**
     * The same in float, for callers that ask again and again.
     *
     * @param buffer memory that the rows may be put into: [to − from or more, length], float
     * @return the rows, in the buffer or elsewhere; they must not be changed unless they are in the buffer
     */
    default Tensor rows(long from, long to, Tensor buffer) {
        return Placement.of(buffer).place(rows(from, to));
    }

    /** These rows, then those of the other. */
    default Descriptors then(Descriptors other) {
        return new ConcatenatedDescriptors(this, other);
    }

    /** Descriptors that were computed once and are stored until they are closed: in memory or on disk. */
    sealed interface Stored extends Descriptors, AutoCloseable permits CachedDescriptors, DescriptorFile {

        @Override
        void close();
    }
}
