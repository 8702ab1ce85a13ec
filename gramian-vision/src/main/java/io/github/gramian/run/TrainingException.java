package io.github.gramian.run;

import io.github.gramian.InvalidInputException;

/** A training cannot continue; the message states what to change. */
public class TrainingException extends InvalidInputException {

    private static final long serialVersionUID = 1L;

    public TrainingException(String message) {
        super(message);
    }
}
