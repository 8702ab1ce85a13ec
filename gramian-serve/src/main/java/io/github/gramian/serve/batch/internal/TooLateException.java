package io.github.gramian.serve.batch.internal;

import io.github.gramian.GramianException;

/** The deadline of a request has passed before the network could start on it. */
public final class TooLateException extends GramianException {

    private static final long serialVersionUID = 1L;

    public TooLateException() {
        this("the deadline passed while the request waited for its turn");
    }

    public TooLateException(String message) {
        super(message, false);
    }
}
