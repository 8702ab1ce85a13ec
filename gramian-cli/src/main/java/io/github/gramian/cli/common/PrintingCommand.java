package io.github.gramian.cli.common;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that prints its result to standard output and its progress to standard error. */
public abstract class PrintingCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    protected final CommandSpec spec() {
        return spec;
    }

    protected final PrintWriter stdout() {
        return spec.commandLine().getOut();
    }

    protected final PrintWriter stderr() {
        return spec.commandLine().getErr();
    }

    /** Prints a result, as JSON or as text for people. */
    protected final void print(boolean json, Supplier<?> result, Consumer<PrintWriter> text) {
        if (json) {
            JsonOutput.print(stdout(), result.get());
        } else {
            text.accept(stdout());
            stdout().flush();
        }
    }
}
