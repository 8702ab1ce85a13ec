package io.github.gramian.bench.peer;

import io.github.gramian.GramianException;

/** A peer did not respond in time; the message has its last output. */
public final class PeerException extends GramianException {

    private static final long serialVersionUID = 1L;

    PeerException(String message) {
        super(message);
    }
}
