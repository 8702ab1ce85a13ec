package io.github.gramian.feature.internal;

import io.github.gramian.InvalidInputException;

/** Something is wrong with a feature cache; the message states what to do. */
public final class CacheException extends InvalidInputException {

    public CacheException(String message) {
        super(message);
    }

    public CacheException(String message, Throwable cause) {
        super(message, cause);
    }
}
