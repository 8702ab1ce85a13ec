package io.github.gramian.serve.protocol.internal;

import io.github.gramian.GramianException;

/** A request that cannot be answered: an HTTP status for the kind of error, and a message on how to fix it. */
public final class RequestException extends GramianException {

    /** The queue of a model is full: the same request may work in a second. */
    public static final int QUEUE_FULL = 429;

    /** The deadline passed before the network started. */
    public static final int TOO_LATE = 504;

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

    /** The deadline has passed in the queue. */
    public static RequestException late() {
        return new RequestException(TOO_LATE, "the deadline passed while the request waited for its turn");
    }

    public int status() {
        return status;
    }
}
