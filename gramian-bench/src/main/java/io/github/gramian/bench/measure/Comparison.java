package io.github.gramian.bench.measure;

import static java.util.Objects.requireNonNull;

import io.github.gramian.check.internal.Rounds.Timing;
import java.util.Map;

/**
 * Speed of a part of the tool against a baseline that does only what is necessary.
 *
 * @param images of a round
 * @param batch images at once
 * @param imagesPerSecond of ours, by the median
 * @param baselinePerSecond of the baseline, by the median
 * @param ratio ours over the baseline; 1 is the best possible
 * @param target that the ratio should reach
 * @param ours milliseconds of a round
 * @param baseline milliseconds of a round of the baseline
 */
public record Comparison(
        int images,
        int batch,
        double imagesPerSecond,
        double baselinePerSecond,
        double ratio,
        double target,
        Timing ours,
        Timing baseline) {

    static final String OURS = "ours";
    static final String BASELINE = "baseline";

    /** Of timings under the names {@link #OURS} and {@link #BASELINE}. */
    static Comparison of(Map<String, Timing> timings, int images, int batch, double target) {
        Timing ours = requireNonNull(timings.get(OURS));
        Timing baseline = requireNonNull(timings.get(BASELINE));
        return new Comparison(
                images,
                batch,
                1e3 * images / ours.median(),
                1e3 * images / baseline.median(),
                baseline.median() / ours.median(),
                target,
                ours,
                baseline);
    }
}
