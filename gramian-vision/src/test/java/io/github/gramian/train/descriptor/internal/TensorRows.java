package io.github.gramian.train.descriptor.internal;

import org.bytedeco.pytorch.Tensor;

/** Rows of a tensor, and how many were asked for. */
public final class TensorRows implements Descriptors {

    private final Tensor X;
    private long asked;

    public TensorRows(Tensor X) {
        this.X = X;
    }

    @Override
    public long count() {
        return X.size(0);
    }

    @Override
    public long length() {
        return X.size(1);
    }

    @Override
    public Tensor rows(long from, long to) {
        asked += to - from;
        return X.narrow(0, from, to - from);
    }

    public long asked() {
        return asked;
    }
}
