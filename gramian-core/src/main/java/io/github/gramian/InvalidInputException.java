package io.github.gramian;

import org.jspecify.annotations.Nullable;

/**
 * Something that the caller gave cannot be used: a dataset, a model file, weights, a recipe for this data. The caller can fix
 * it, and the message explains how. The command line ends with exit code 2.
 */
public class InvalidInputException extends GramianException {

    private static final long serialVersionUID = 1L;

    /** With a sentence that states what is wrong and what to do. */
    public InvalidInputException(String message) {
        super(message);
    }

    /** With the exception that caused this one. */
    public InvalidInputException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
