package io.github.gramian.feature;

/** Features that cannot be had, and what to change. */
public final class FeatureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public FeatureException(String message) {
        super(message);
    }
}
