package io.github.gramian.run;

/** A training that cannot go on, and what to change. */
public class TrainingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TrainingException(String message) {
        super(message);
    }
}
