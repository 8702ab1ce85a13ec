package io.github.gramian.run;

/** A run has no scores yet: its training was stopped or killed, or is still running. */
public final class UnfinishedRunException extends TrainingException {

    private static final long serialVersionUID = 1L;

    /** @param run name of the run directory */
    public UnfinishedRunException(String run) {
        super(run + " has no scores.json; finish it with: gramian resume " + run
                + ", or measure its model with: gramian evaluate --out");
    }
}
