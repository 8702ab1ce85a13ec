package io.github.gramian.feature.internal;

import io.github.gramian.InvalidInputException;

/** Features cannot be computed or read; the message states what to change. */
public final class FeatureException extends InvalidInputException {

    private static final long serialVersionUID = 1L;

    public FeatureException(String message) {
        super(message);
    }
}
