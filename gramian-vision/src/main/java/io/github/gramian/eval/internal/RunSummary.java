package io.github.gramian.eval.internal;

import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.eval.EvaluationProtocol;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The summary of a run for a ranking.
 *
 * @param name of the run, its folder for example
 * @param protocol evaluation protocol of the accuracy
 * @param accuracy on the test images
 * @param interval of the accuracy
 * @param recognised for every test image, by id, whether its prediction is correct; empty where the predictions are missing,
 *     and the run is then ranked without a test against the best
 */
public record RunSummary(
        String name,
        EvaluationProtocol protocol,
        double accuracy,
        ConfidenceInterval interval,
        Map<String, Boolean> recognised) {

    public RunSummary {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a run needs a name; its directory's will do");
        }
        if (!(accuracy >= 0 && accuracy <= 1)) {
            throw new IllegalArgumentException("the accuracy of " + name + " must lie in 0..1 but is " + accuracy
                    + "; give a fraction, not percent");
        }
        recognised = Collections.unmodifiableMap(new LinkedHashMap<>(recognised));
        checkAgainst(recognised, name, accuracy);
    }

    private static void checkAgainst(Map<String, Boolean> recognised, String name, double accuracy) {
        if (recognised.isEmpty()) {
            return;
        }
        double share = (double) recognised.values().stream().filter(hit -> hit).count() / recognised.size();
        if (Math.abs(share - accuracy) > 1e-6) {
            throw new IllegalArgumentException("run " + name + " reports an accuracy of " + accuracy
                    + " but its predictions give " + share + "; evaluate it again, so that both are of one evaluation");
        }
    }

    /** Whether both runs evaluated the same images, so that they can be compared image by image. */
    boolean sharesImagesWith(RunSummary other) {
        return !recognised.isEmpty()
                && protocol.contentHash().equals(other.protocol.contentHash())
                && recognised.keySet().equals(other.recognised.keySet());
    }
}
