package io.github.gramian.io.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Waiting for work on tensors by another thread, to its end even when interrupted: what it reads and writes must not go away
 * under it. The interruption is kept for later.
 */
public final class Futures {

    private Futures() {}

    /** The result; what the work threw is thrown here, wrapped if it is checked. */
    public static <T> T result(Future<T> work) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.get();
                } catch (InterruptedException waitOn) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(failed.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
