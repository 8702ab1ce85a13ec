package io.github.gramian.train.descriptor.internal;

import io.github.gramian.tensor.Placement;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

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

    /** The rows of one source after those of another, for instance training and validation images. */
    record ConcatenatedDescriptors(Descriptors first, Descriptors second) implements Descriptors {

        public ConcatenatedDescriptors {
            if (first.length() != second.length()) {
                throw new IllegalArgumentException("descriptors of " + first.length() + " and of " + second.length()
                        + " dimensions cannot be concatenated; make both with the same network");
            }
        }

        @Override
        public long count() {
            return first.count() + second.count();
        }

        @Override
        public long length() {
            return first.length();
        }

        @Override
        public Tensor rows(long from, long to) {
            long border = first.count();
            if (to <= border) {
                return first.rows(from, to);
            }
            if (from >= border) {
                return second.rows(from - border, to - border);
            }
            return torch.cat(new TensorVector(first.rows(from, border), second.rows(0, to - border)), 0);
        }

        @Override
        public Tensor rows(long from, long to, Tensor buffer) {
            long border = first.count();
            if (to <= border) {
                return first.rows(from, to, buffer);
            }
            return from >= border
                    ? second.rows(from - border, to - border, buffer)
                    : Descriptors.super.rows(from, to, buffer);
        }
    }
}
