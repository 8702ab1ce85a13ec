package io.github.gramian.bench.peer;

/** A peer did not answer, or not in time; the message says what it said last. */
public final class PeerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PeerException(String message) {
        super(message);
    }
}
