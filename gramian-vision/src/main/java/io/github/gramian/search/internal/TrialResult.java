package io.github.gramian.search.internal;

/**
 * What one candidate gave on one rung.
 *
 * @param candidate its name
 * @param rung which of the nested subsets of images
 * @param hits for each image of the rung a digit, in how many repetitions it was predicted correctly while left out; {@code
 *     -} for an image that cannot be used
 * @param dimensions of the descriptor
 * @param modelBytes of a saved model: backbone and network
 * @param backboneMillis an image takes to pass through the backbone
 * @param headMillis its features take to become a descriptor
 * @param seconds that the trial took, without features
 */
public record TrialResult(
        String candidate,
        int rung,
        String hits,
        int dimensions,
        long modelBytes,
        double backboneMillis,
        double headMillis,
        double seconds) {

    private static final int REPETITIONS = StratifiedFolds.REPETITIONS;

    public TrialResult {
        if (!hits.matches("[0-" + REPETITIONS + "-]*[0-" + REPETITIONS + "][0-" + REPETITIONS + "-]*")) {
            throw new IllegalArgumentException("a trial needs the hits of its images, digits from 0 to " + REPETITIONS);
        }
    }

    /** Images that were predicted. */
    public int images() {
        return (int) hits.chars().filter(c -> c != '-').count();
    }

    /** The fraction of predictions that were correct. */
    public double accuracy() {
        return hits.chars().filter(c -> c != '-').mapToDouble(c -> c - '0').sum() / ((double) REPETITIONS * images());
    }

    /** The hit rate of the i-th image of the rung, 0 to 1, or NaN. */
    double hit(int i) {
        return hits.charAt(i) == '-' ? Double.NaN : (hits.charAt(i) - '0') / (double) REPETITIONS;
    }

    /** From file to descriptor. */
    public double millis() {
        return backboneMillis + headMillis;
    }
}
