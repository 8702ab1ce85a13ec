package io.github.gramian.run;

import java.nio.file.Path;

/** Another training is writing into the run directory. */
public final class RunInUseException extends TrainingException {

    private static final long serialVersionUID = 1L;

    public RunInUseException(Path run, String holder) {
        super(run + " is being written by " + holder + "; wait for it or stop it, or choose another run directory");
    }
}
