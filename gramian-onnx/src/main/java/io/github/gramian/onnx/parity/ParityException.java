package io.github.gramian.onnx.parity;

import java.io.IOException;

/** An exported file computes something else than the model; the message says what to do. */
public final class ParityException extends IOException {

    private static final long serialVersionUID = 1L;

    public ParityException(String message) {
        super(message);
    }
}
