package io.github.gramian.spark.executor;

import io.github.gramian.model.Reading;

/** What became of an image: numbers, or the reason why there are none. */
public sealed interface Outcome permits Outcome.Scored, Outcome.Rejected {

    /** What the model says; all of it is finite. */
    record Scored(Reading reading) implements Outcome {}

    /** No image, or none that the model can take. */
    record Rejected(String reason) implements Outcome {}
}
