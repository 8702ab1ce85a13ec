package io.github.gramian.serve.model.internal;

import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.batch.internal.BatchListener;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The place of one model and version, in which a loaded model follows another. */
final class Slot {

    private final ModelSpec spec;
    private final BatchLimits limits;
    private final BatchListener listener;
    private volatile ServedModel current;
    private @Nullable FileStamp loaded;
    private @Nullable FileStamp seen;
    private boolean retired;

    Slot(ModelSpec spec, BatchLimits limits, BatchListener listener) throws IOException {
        this.spec = spec;
        this.limits = limits;
        this.listener = listener;
        this.loaded = stamp().orElse(null);
        this.current = ServedModel.load(spec, limits, listener);
    }

    /** Empty while there is no file, or no model in the run directory: it may be being replaced. */
    private Optional<FileStamp> stamp() {
        try {
            return FileStamp.of(spec.modelFile());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    ModelSpec spec() {
        return spec;
    }

    ServedModel current() {
        return current;
    }

    Lease lease() {
        while (true) {
            ServedModel model = current;
            if (model.enter()) {
                return new Lease(model);
            }
            if (model == current) {
                throw notServed();
            }
        }
    }

    private UnknownModelException notServed() {
        return new UnknownModelException(spec + " is not served any more");
    }

    /** Loads the file again, warms up, and only then lets new requests go there; those under way end on the old one. */
    synchronized void reload() throws IOException {
        if (retired) {
            throw notServed(); // nobody would free what is loaded now
        }
        loaded = stamp().orElse(null);
        ServedModel next = ServedModel.load(spec, limits, listener);
        ServedModel old = current;
        current = next;
        old.leave();
    }

    /**
     * Whether the file was replaced since it was loaded, and has not changed since the last time this was asked: a file that
     * is still being written is left alone. One that could not be loaded is not tried again until it changes.
     */
    synchronized boolean isReplaced() {
        FileStamp now = stamp().orElse(null);
        boolean replaced = !retired && now != null && now.equals(seen) && !now.equals(loaded);
        seen = now;
        return replaced;
    }

    /** The model that is loaded now is the last one here. */
    synchronized void retire() {
        if (!retired) {
            retired = true;
            current.leave();
        }
    }
}
