package io.github.gramian.model;

import io.github.gramian.InvalidInputException;

/** A saved model cannot be used; the message states what to do. */
public final class ModelException extends InvalidInputException {

    private static final long serialVersionUID = 1L;

    public ModelException(String message) {
        super(message);
    }

    public ModelException(String message, Throwable cause) {
        super(message, cause);
    }
}
