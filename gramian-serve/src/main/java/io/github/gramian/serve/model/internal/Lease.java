package io.github.gramian.serve.model.internal;

import java.util.concurrent.atomic.AtomicBoolean;

/** The use of a model by one request: it remains loaded until the lease is closed. */
public final class Lease implements AutoCloseable {

    private final ServedModel model;
    private final AtomicBoolean over = new AtomicBoolean();

    Lease(ServedModel model) {
        this.model = model;
    }

    public ServedModel model() {
        return model;
    }

    @Override
    public void close() {
        if (over.compareAndSet(false, true)) {
            model.leave();
        }
    }
}
