package io.github.gramian.experiment.search.internal;

import java.io.IOException;

/** Scores candidates, and knows about how long that takes. */
interface Trials {

    /** Seconds that a trial will take, features that are missing included. */
    double seconds(Candidate candidate, int rung);

    /** Instead of a rung: no trial comes before. */
    int NO_RUNG = -1;

    /**
     * Seconds that training this candidate will take after its trial on this rung: features that are missing then, those of
     * the test images among them, and the training itself.
     */
    double trainingSeconds(Candidate candidate, int rung);

    /**
     * Scores a candidate on a rung.
     *
     * @param alive called now and then; throws what ends the trial
     */
    TrialResult run(Candidate candidate, int rung, Runnable alive) throws IOException;
}
