package io.github.gramian.io.internal;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Output could not be written. */
public final class LostOutputException extends UncheckedIOException {

    private static final long serialVersionUID = 1L;

    private final boolean readerGone;

    /** @param readerGone whether it went to a pipe that nobody reads any more */
    LostOutputException(IOException cause, boolean readerGone) {
        super(
                "standard output cannot be written (" + cause.getMessage()
                        + "): what was printed is incomplete; free some"
                        + " space or choose another place, and run again",
                cause);
        this.readerGone = readerGone;
    }

    /** Whether the reader has gone, as with {@code | head}: then no error is printed. */
    public boolean readerGone() {
        return readerGone;
    }
}
