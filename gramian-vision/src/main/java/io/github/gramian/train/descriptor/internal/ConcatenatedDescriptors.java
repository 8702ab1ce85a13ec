package io.github.gramian.train.descriptor.internal;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** The rows of one source after those of another, for instance training and validation images. */
record ConcatenatedDescriptors(Descriptors first, Descriptors second) implements Descriptors {

    ConcatenatedDescriptors {
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
