package io.github.gramian.onnx.parity.internal;

import io.github.gramian.onnx.parity.ParityReport;

/** Collects how far probabilities are apart. */
final class ProbabilityDistance {

    private double max;
    private double sum;
    private long values;
    private long images;
    private long agreeing;

    /** Adds one image. A value that is not a number counts as infinitely far. */
    void add(float[] ours, float[] theirs) {
        for (int k = 0; k < ours.length; k++) {
            double difference = Math.abs((double) ours[k] - theirs[k]);
            max = Math.max(max, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference);
            sum += difference;
        }
        values += ours.length;
        images++;
        agreeing += Views.top(ours) == Views.top(theirs) ? 1 : 0;
    }

    ParityReport.Difference result() {
        return new ParityReport.Difference(max, sum / Math.max(1, values), (double) agreeing / Math.max(1, images));
    }
}
