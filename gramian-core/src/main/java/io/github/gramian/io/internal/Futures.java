package io.github.gramian.io.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Waiting for the work of another thread, to its end even when interrupted: tensors that it reads and writes must not go away
 * under it. The interruption is stored for later.
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
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw thrownBy(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The exception of the work, to be thrown again, wrapped if it is checked; an error is thrown at once. */
    static RuntimeException thrownBy(ExecutionException failed) {
        if (failed.getCause() instanceof Error error) {
            throw error;
        }
        return failed.getCause() instanceof RuntimeException unchecked
                ? unchecked
                : new IllegalStateException(failed.getCause());
    }
}
