package io.github.gramian.serve.model.internal;

/** No model of this name and version is served. */
public final class UnknownModelException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownModelException(String message) {
        super(message, null, false, false);
    }
}
