package io.github.gramian.serve.batch.internal;

/** The deadline of a request has passed before the network could start on it. */
public final class TooLateException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TooLateException() {
        this("the deadline passed while the request waited for its turn");
    }

    public TooLateException(String message) {
        super(message, null, false, false);
    }
}
