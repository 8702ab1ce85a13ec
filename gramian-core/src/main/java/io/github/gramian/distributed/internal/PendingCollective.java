package io.github.gramian.distributed.internal;

import io.github.gramian.distributed.ProcessLostException;

/** An exchange in progress: do not touch its tensors until it is over. */
@FunctionalInterface
public interface PendingCollective {

    /**
     * Returns when the tensors hold the result.
     *
     * @throws ProcessLostException if another process does not take part any more
     */
    void await();

    /** Nothing to wait for. */
    static PendingCollective none() {
        return () -> {};
    }
}
