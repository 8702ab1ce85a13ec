package io.github.gramian.serve.metrics.internal;

import java.util.Locale;

/** The stages that a request passes, each with its own histogram. */
public enum RequestStage {
    /** Decoding and normalising the images of a request. */
    DECODE,
    /** From an image's entry into the queue to the start of its batch. */
    QUEUE,
    /** A batch in the network. */
    COMPUTE,
    /** A search of the index of photographs. */
    SEARCH,
    /** A request from its first byte to the last of the answer. */
    TOTAL;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
