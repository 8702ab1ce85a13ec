package io.github.gramian.bench;

import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The precision of a measured backbone. */
final class MeasuredPrecision {

    @Option(
            names = "--precision",
            description =
                    "Precision of the backbone (default: bfloat16 if the CPU has instructions for it, otherwise float).")
    private @Nullable Precision precision;

    Precision get() {
        return precision == null ? Cpu.fastestPrecision() : precision;
    }
}
