package io.github.gramian.bench;

import io.github.gramian.tensor.Precision;
import picocli.CommandLine.Option;

/** The precision of a measured backbone. */
final class MeasuredPrecision {

    @Option(
            names = "--precision",
            description =
                    "Of the backbone: bfloat16, or float for a CPU without instructions for it (${DEFAULT-VALUE}).",
            defaultValue = "BFLOAT16")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Precision precision;

    Precision get() {
        return precision;
    }
}
