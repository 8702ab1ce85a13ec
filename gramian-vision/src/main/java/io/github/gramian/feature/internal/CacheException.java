package io.github.gramian.feature.internal;

import java.io.IOException;

/** Something is wrong with a feature cache; the message says what to do. */
public final class CacheException extends IOException {

    public CacheException(String message) {
        super(message);
    }

    public CacheException(String message, Throwable cause) {
        super(message, cause);
    }
}
