package io.github.gramian.fuzz;

/** A reader did something that none may do. */
public final class FindingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public FindingException(String message) {
        super(message);
    }

    public FindingException(String message, Throwable cause) {
        super(message, cause);
    }
}
