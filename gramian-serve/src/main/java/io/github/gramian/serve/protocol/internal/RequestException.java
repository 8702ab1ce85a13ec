package io.github.gramian.serve.protocol.internal;

import io.github.gramian.GramianException;

/** A request that cannot be answered: an HTTP status for the kind of error, and a message on how to fix it. */
public final class RequestException extends GramianException {

    private static final long serialVersionUID = 1L;

    private final int status;

    public RequestException(int status, String message) {
        // Untrusted clients can cause these as often as they like, so there is no stack trace.
        super(message, false);
        this.status = status;
    }

    static RequestException malformed(String message) {
        return new RequestException(400, message);
    }

    public int status() {
        return status;
    }
}
