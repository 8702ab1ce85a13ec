package io.github.gramian.bench;

import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every measurement: number of rounds, and output format. */
final class Measurement {

    @Option(
            names = "--rounds",
            description = "Number of measured rounds (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int rounds;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    int rounds() {
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be at least 1 but is " + rounds);
        }
        return rounds;
    }

    boolean json() {
        return json;
    }

    /** The precision of a measured backbone. */
    static final class WithPrecision {

        @Option(
                names = "--precision",
                description =
                        "Precision of the backbone (default: bfloat16 if the CPU has instructions for it, otherwise float).")
        private @Nullable Precision precision;

        Precision get() {
            return precision == null ? Cpu.fastestPrecision() : precision;
        }
    }
}
