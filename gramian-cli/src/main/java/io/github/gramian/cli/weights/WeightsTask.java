package io.github.gramian.cli.weights;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the weights commands share: they print to standard output and have no other result. */
abstract class WeightsTask implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Does what the command is for. */
    abstract void work(PrintWriter out) throws IOException, InterruptedException;

    @Override
    public final Integer call() throws IOException, InterruptedException {
        work(out());
        out().flush();
        return 0;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
