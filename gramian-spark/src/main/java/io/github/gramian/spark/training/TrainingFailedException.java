package io.github.gramian.spark.training;

import io.github.gramian.GramianException;
import org.jspecify.annotations.Nullable;

/** A training failed; the message describes what to do. */
public final class TrainingFailedException extends GramianException {

    private static final long serialVersionUID = 1;

    TrainingFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
