package io.github.gramian;

import org.jspecify.annotations.Nullable;

/**
 * The root of Gramian's own exceptions. The message states what happened and what to do. Errors of the disk and of the network
 * are {@link java.io.IOException}s, and an argument that a method cannot take is an {@link IllegalArgumentException}, as
 * everywhere in Java.
 */
public class GramianException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With a sentence that states what happened and what to do. */
    public GramianException(String message) {
        super(message);
    }

    /** With the exception that caused this one. */
    public GramianException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * For subclasses that are thrown often, when there is least time for it.
     *
     * @param stackTrace whether the exception records where it was thrown
     */
    protected GramianException(String message, boolean stackTrace) {
        super(message, null, stackTrace, stackTrace);
    }
}
