package io.github.gramian.bench;

import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import picocli.CommandLine.Option;

/** The precision of a measured backbone. */
final class MeasuredPrecision {

    @Option(
            names = "--precision",
            description =
                    "Of the backbone. Without it, bfloat16 where the CPU has instructions for it, otherwise float.")
    private Precision precision = Cpu.fastestPrecision();

    Precision get() {
        return precision;
    }
}
