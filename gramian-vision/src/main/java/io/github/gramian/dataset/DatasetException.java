package io.github.gramian.dataset;

import io.github.gramian.InvalidInputException;

/**
 * A dataset that cannot be read or split as requested. The message states what was expected, what was found and what to do.
 */
public final class DatasetException extends InvalidInputException {

    public DatasetException(String message) {
        super(message);
    }

    public DatasetException(String message, Throwable cause) {
        super(message, cause);
    }
}
