package io.github.gramian.experiment.search.internal;

import java.io.IOException;

/** Scores candidates, and knows about how long that takes. */
interface Trials {

    /** Seconds that a trial will take, features that are missing included. */
    double seconds(Candidate candidate, int rung);

    /** Seconds that training this candidate will take after its last trial, the test images' features included. */
    double trainingSeconds(Candidate candidate);

    /**
     * Scores a candidate on a rung.
     *
     * @param alive called now and then; throws what ends the trial
     */
    TrialResult run(Candidate candidate, int rung, Runnable alive) throws IOException;
}
