package io.github.gramian.feature.internal;

/** Features cannot be computed or read; the message says what to change. */
public final class FeatureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public FeatureException(String message) {
        super(message);
    }
}
