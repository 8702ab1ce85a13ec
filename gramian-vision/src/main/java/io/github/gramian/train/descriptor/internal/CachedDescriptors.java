package io.github.gramian.train.descriptor.internal;

import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;

/** Cached descriptors: rows that are computed once. Owns them until it is closed. */
public final class CachedDescriptors implements Descriptors.Stored {

    private final Tensor all;

    private CachedDescriptors(Tensor all) {
        this.all = all;
    }

    /** Computes all rows now. */
    public static CachedDescriptors of(Descriptors source) {
        try (Scope scope = Scope.open()) {
            return new CachedDescriptors(Scope.own(source.rows(0, source.count())));
        }
    }

    @Override
    public long count() {
        return all.size(0);
    }

    @Override
    public long length() {
        return all.size(1);
    }

    @Override
    public Tensor rows(long from, long to) {
        return all.narrow(0, from, to - from);
    }

    @Override
    public void close() {
        Scope.disown(all);
    }
}
