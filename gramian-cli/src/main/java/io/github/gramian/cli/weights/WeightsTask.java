package io.github.gramian.cli.weights;

import io.github.gramian.cli.common.PrintingCommand;
import java.io.IOException;
import java.io.PrintWriter;

/** Base of the weights commands, which print to standard output and have no other result. */
abstract class WeightsTask extends PrintingCommand {

    abstract void work(PrintWriter out) throws IOException, InterruptedException;

    @Override
    public final Integer call() throws IOException, InterruptedException {
        work(stdout());
        stdout().flush();
        return 0;
    }
}
