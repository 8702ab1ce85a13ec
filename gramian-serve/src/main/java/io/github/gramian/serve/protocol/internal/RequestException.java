package io.github.gramian.serve.protocol.internal;

/** A request that cannot be answered, with the HTTP status that says why and a message that says what to do. */
public final class RequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    public RequestException(int status, String message) {
        // Strangers cause these as often as they like: without a stack trace.
        super(message, null, false, false);
        this.status = status;
    }

    static RequestException malformed(String message) {
        return new RequestException(400, message);
    }

    public int status() {
        return status;
    }
}
