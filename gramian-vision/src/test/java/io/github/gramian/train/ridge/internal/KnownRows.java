package io.github.gramian.train.ridge.internal;

import io.github.gramian.train.descriptor.internal.Descriptors;
import org.bytedeco.pytorch.Tensor;

/** Descriptors that a test has chosen. */
record KnownRows(Tensor X) implements Descriptors {

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
        return X.narrow(0, from, to - from);
    }
}
