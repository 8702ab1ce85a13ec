package io.github.gramian.train;

import io.github.gramian.GramianException;
import java.nio.file.Path;

/** The training was cancelled, and has stopped after saving a checkpoint. */
public final class TrainingStopped extends GramianException {

    private static final long serialVersionUID = 1L;

    private final transient Path run;

    TrainingStopped(Path run) {
        super("stopped; continue with: gramian resume " + run);
        this.run = run;
    }

    /** The run directory. */
    public Path run() {
        return run;
    }
}
