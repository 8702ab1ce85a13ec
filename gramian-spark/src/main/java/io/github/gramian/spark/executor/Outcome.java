package io.github.gramian.spark.executor;

import io.github.gramian.model.Reading;

/** The result for an image: prediction and descriptor, or the reason of its rejection. */
public sealed interface Outcome permits Outcome.Scored, Outcome.Rejected {

    /** The prediction and descriptor; all values are finite. */
    record Scored(Reading reading) implements Outcome {}

    /** No image, or none that the model can take. */
    record Rejected(String reason) implements Outcome {}
}
