package io.github.gramian.backbone.weights;

import java.io.IOException;

/** Weights of a backbone that cannot be used: broken, hostile, or another network's. The message says what to do. */
public final class WeightsException extends IOException {

    public WeightsException(String message) {
        super(message);
    }

    public WeightsException(String message, Throwable cause) {
        super(message, cause);
    }
}
