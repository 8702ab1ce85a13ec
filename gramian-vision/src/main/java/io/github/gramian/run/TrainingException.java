package io.github.gramian.run;

/** A training cannot continue; the message says what to change. */
public class TrainingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TrainingException(String message) {
        super(message);
    }
}
