package io.github.gramian.similar.index.internal;

import io.github.gramian.InvalidInputException;

/** An index cannot be used; the message states why and what to do. */
public final class IndexException extends InvalidInputException {

    private static final long serialVersionUID = 1L;

    public IndexException(String message) {
        super(message);
    }

    public IndexException(String message, Throwable cause) {
        super(message, cause);
    }
}
