package io.github.gramian.spark.job;

import io.github.gramian.InvalidInputException;

/** A job cannot start or continue; the message describes what to do. */
public final class JobException extends InvalidInputException {

    private static final long serialVersionUID = 1;

    public JobException(String message) {
        super(message);
    }
}
