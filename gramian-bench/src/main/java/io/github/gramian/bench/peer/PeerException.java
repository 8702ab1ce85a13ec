package io.github.gramian.bench.peer;

/** A peer did not respond in time; the message has its last output. */
public final class PeerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PeerException(String message) {
        super(message);
    }
}
