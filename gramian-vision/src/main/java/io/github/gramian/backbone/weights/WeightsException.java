package io.github.gramian.backbone.weights;

import io.github.gramian.InvalidInputException;

/** Weights of a backbone that cannot be used: broken, hostile, or another network's. The message explains what to do. */
public final class WeightsException extends InvalidInputException {

    public WeightsException(String message) {
        super(message);
    }

    public WeightsException(String message, Throwable cause) {
        super(message, cause);
    }
}
