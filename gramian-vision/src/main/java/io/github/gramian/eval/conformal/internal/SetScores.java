package io.github.gramian.eval.conformal.internal;

import java.util.Arrays;

/**
 * The scores of calibration images that a model carries, from which the set of classes of a new image follows.
 *
 * @param source where the scores come from
 * @param scores 1 − p of the true class of each image, with p its probability; sorted from small to large
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not changed
public record SetScores(Source source, float[] scores) {

    /** The images that were scored, and how. */
    public enum Source {
        /** Training images, each scored by the classifier that was fitted without it. */
        LEAVE_ONE_OUT("leave-one-out"),
        /** Validation images, which training has not used. */
        VALIDATION("validation");

        private final String key;

        Source(String key) {
            this.key = key;
        }

        /** Its name in files. */
        public String key() {
            return key;
        }
    }

    public SetScores {
        if (scores.length == 0) {
            throw new IllegalArgumentException("there are no calibration scores");
        }
        scores = scores.clone();
        for (float score : scores) {
            if (!(score >= 0 && score <= 1)) {
                throw new IllegalArgumentException("a calibration score is " + score + " and not within 0..1");
            }
        }
        Arrays.sort(scores);
    }
}
