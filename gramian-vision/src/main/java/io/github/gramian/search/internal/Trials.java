package io.github.gramian.search.internal;

import java.io.IOException;

/** Scores candidates, and knows about how long that takes. */
interface Trials {

    /** Seconds that a trial will take, features that are missing included. */
    double seconds(Candidate candidate, int rung);

    /**
     * Seconds that training a candidate will take: features that are missing, those of the test images among them, and the
     * training itself.
     */
    double trainingSeconds(Candidate candidate);

    /** Seconds that training a candidate will take after a trial of another or the same, which leaves features for both. */
    double trainingSeconds(Candidate candidate, Candidate tried, int rung);

    /**
     * Scores a candidate on a rung.
     *
     * @param alive called now and then; throws what ends the trial
     */
    TrialResult run(Candidate candidate, int rung, Runnable alive) throws IOException;
}
