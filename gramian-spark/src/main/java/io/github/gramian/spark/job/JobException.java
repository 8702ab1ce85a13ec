package io.github.gramian.spark.job;

/** A job cannot start or continue; the message says what to do. */
public final class JobException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public JobException(String message) {
        super(message);
    }
}
