package io.github.gramian.cli;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.tensor.safetensors.SafetensorsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the weights commands share: wrong input is one line with advice and exit code 2. */
abstract class WeightsTask implements Callable<Integer> {

    private static final int FINE = 0;
    private static final int WRONG_INPUT = 2;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Does what the command is for. */
    abstract void work(PrintWriter out) throws IOException, InterruptedException;

    @Override
    public final Integer call() throws IOException, InterruptedException {
        try {
            work(out());
            out().flush();
            return FINE;
        } catch (NoSuchFileException absent) {
            return refuse(absent.getFile() + " does not exist; check the path");
        } catch (WeightsException | SafetensorsException | IllegalArgumentException wrong) {
            return refuse(String.valueOf(wrong.getMessage()));
        }
    }

    private int refuse(String reason) {
        PrintWriter err = err();
        err.println(spec.qualifiedName() + ": " + reason.replaceAll("\\s*[\\r\\n]+\\s*", " "));
        err.flush();
        return WRONG_INPUT;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
