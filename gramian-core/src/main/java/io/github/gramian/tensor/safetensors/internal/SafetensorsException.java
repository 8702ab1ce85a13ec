package io.github.gramian.tensor.safetensors.internal;

import io.github.gramian.InvalidInputException;

/** A file is not a valid safetensors file; the message states what is wrong with it and what to do. */
public final class SafetensorsException extends InvalidInputException {

    public SafetensorsException(String message) {
        super(message);
    }

    public SafetensorsException(String message, Throwable cause) {
        super(message, cause);
    }
}
