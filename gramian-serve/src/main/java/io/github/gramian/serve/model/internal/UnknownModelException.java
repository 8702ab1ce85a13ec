package io.github.gramian.serve.model.internal;

import io.github.gramian.GramianException;

/** No model of this name and version is served. */
public final class UnknownModelException extends GramianException {

    private static final long serialVersionUID = 1L;

    UnknownModelException(String message) {
        super(message, false);
    }
}
