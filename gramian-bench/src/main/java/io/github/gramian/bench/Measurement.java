package io.github.gramian.bench;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import java.io.PrintWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of every measurement: number of rounds, and output format. */
final class Measurement {

    @Option(
            names = "--rounds",
            description = "Number of measured rounds (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int rounds;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    int rounds() {
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be at least 1 but is " + rounds);
        }
        return rounds;
    }

    boolean json() {
        return json;
    }

    /** Prints a result, as JSON or as a table for people. */
    void report(Object result, Consumer<PrintWriter> table) {
        PrintWriter out = command.commandLine().getOut();
        if (json) {
            JsonOutput.print(out, result);
        } else {
            table.accept(out);
            out.flush();
        }
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
