package io.github.gramian.serve.model.internal;

import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.batch.internal.BatchListener;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/** The place of one model and version, in which a loaded model follows another. */
final class Slot {

    private final ModelSpec spec;
    private final BatchLimits limits;
    private final BatchListener listener;

    /** Held while a file is read. That may take for ever, so nothing waits for it. */
    private final ReentrantLock loading = new ReentrantLock();

    private volatile ServedModel current;
    private volatile FileStamp loaded;
    private FileStamp seen;
    private boolean retired;

    Slot(ModelSpec spec, BatchLimits limits, BatchListener listener) throws IOException {
        this.spec = spec;
        this.limits = limits;
        this.listener = listener;
        this.loaded = stamp();
        this.seen = loaded;
        this.current = ServedModel.load(spec, limits, listener);
    }

    /** Of the model's file, or of the run directory while it has no model. */
    private FileStamp stamp() {
        try {
            return FileStamp.of(spec.modelFile());
        } catch (IllegalArgumentException e) {
            return FileStamp.of(spec.file());
        }
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

    /**
     * Loads the file again, warms up, and only then lets new requests go there; those under way end on the old one.
     *
     * @return whether there is a new model; not if another thread is loading it
     */
    boolean reload() throws IOException {
        if (!loading.tryLock()) {
            return false;
        }
        try {
            if (isRetired()) {
                throw notServed();
            }
            loaded = stamp();
            replaceBy(ServedModel.load(spec, limits, listener));
            return true;
        } finally {
            loading.unlock();
        }
    }

    private synchronized void replaceBy(ServedModel next) {
        ServedModel unused = retired ? next : current;
        current = retired ? current : next;
        unused.leave();
        if (retired) {
            throw notServed();
        }
    }

    private synchronized boolean isRetired() {
        return retired;
    }

    /**
     * Whether the file was replaced or removed since it was loaded, and has not changed since the last time this was asked: a
     * file that is still being written is left alone. One that could not be loaded is not tried again until it changes. For one
     * thread.
     */
    boolean isReplaced() {
        FileStamp now = stamp();
        boolean replaced = now.equals(seen) && !now.equals(loaded);
        seen = now;
        return replaced && !isRetired();
    }

    /** The model that is loaded now is the last one here. */
    synchronized void retire() {
        if (!retired) {
            retired = true;
            current.leave();
        }
    }
}
