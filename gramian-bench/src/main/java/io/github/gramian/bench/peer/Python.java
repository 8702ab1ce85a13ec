package io.github.gramian.bench.peer;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The Python that peers run on, if there is one with PyTorch. */
public sealed interface Python {

    /** Debian's own first, since its PyTorch is a package; then the first one on the path. */
    List<String> DEFAULTS = List.of("/usr/bin/python3", "python3");

    /**
     * A Python that can import torch.
     *
     * @param command starts it
     */
    record Installed(String command) implements Python {}

    /**
     * None.
     *
     * @param reason and what to do
     */
    record Missing(String reason) implements Python {}

    /** The first of some commands that starts a Python with PyTorch. */
    static Python find(List<String> commands) {
        for (String command : commands) {
            if (importsTorch(command)) {
                return new Installed(command);
            }
        }
        return new Missing("no Python with PyTorch among " + String.join(", ", commands)
                + "; on Debian: apt install python3-torch");
    }

    private static boolean importsTorch(String command) {
        try {
            Process process = new ProcessBuilder(command, "-c", "import torch, numpy")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
