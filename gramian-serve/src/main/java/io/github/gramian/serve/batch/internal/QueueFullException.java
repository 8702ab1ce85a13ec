package io.github.gramian.serve.batch.internal;

import io.github.gramian.GramianException;

/** Too many inputs wait already; another one would come too late. */
public final class QueueFullException extends GramianException {

    private static final long serialVersionUID = 1L;

    QueueFullException(int queue) {
        // Thrown often when there is least time for it: without a stack trace.
        super("the queue of " + queue + " images is full; try again later", false);
    }
}
