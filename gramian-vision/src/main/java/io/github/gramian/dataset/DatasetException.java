package io.github.gramian.dataset;

/** A tree, list or choice that cannot be used; the message says what was expected, what was found and what to do. */
public final class DatasetException extends RuntimeException {

    public DatasetException(String message) {
        super(message);
    }

    public DatasetException(String message, Throwable cause) {
        super(message, cause);
    }
}
