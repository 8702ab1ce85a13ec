package io.github.gramian.onnx.parity;

/** Collects how far probabilities are apart. */
final class ProbabilityDistance {

    private double max;
    private double sum;
    private long numbers;
    private long images;
    private long agreeing;

    /** Adds one image. A value that is not a number counts as infinitely far. */
    void add(float[] ours, float[] theirs) {
        for (int k = 0; k < ours.length; k++) {
            double difference = Math.abs((double) ours[k] - theirs[k]);
            max = Math.max(max, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference);
            sum += difference;
        }
        numbers += ours.length;
        images++;
        agreeing += top(ours) == top(theirs) ? 1 : 0;
    }

    private static int top(float[] row) {
        int best = 0;
        for (int k = 1; k < row.length; k++) {
            best = row[k] > row[best] ? k : best;
        }
        return best;
    }

    ParityReport.Difference result() {
        return new ParityReport.Difference(max, sum / Math.max(1, numbers), (double) agreeing / Math.max(1, images));
    }
}
