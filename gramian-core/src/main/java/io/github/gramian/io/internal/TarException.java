package io.github.gramian.io.internal;

import java.io.IOException;

/** A tar archive is broken, cut off or larger than allowed; the message names the byte. */
public final class TarException extends IOException {

    private static final long serialVersionUID = 1;

    public TarException(String message) {
        super(message);
    }
}
