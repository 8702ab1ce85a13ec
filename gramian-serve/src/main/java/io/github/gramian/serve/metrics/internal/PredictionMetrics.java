package io.github.gramian.serve.metrics.internal;

import io.github.gramian.eval.Prediction;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How a model's predictions are distributed, for alerts on drift: histograms of novelty and confidence, and counts per
 * predicted class. The bounds are fixed, so that histograms of several servers can be added up.
 */
final class PredictionMetrics {

    /** Each class is a series that the server and Prometheus keep. Further classes are counted together. */
    static final int MAX_CLASSES = 1000;

    /** Micrometer rounds values up to whole numbers before it compares them with bounds: percentages, not shares. */
    private static final double[] NOVELTY = {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90};

    private static final double[] CONFIDENCE = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};
    private static final double ROUNDING = 1e9;

    private final MeterRegistry registry;
    private final Map<String, DistributionSummary> summaries = new ConcurrentHashMap<>();
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    PredictionMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void record(String model, Prediction prediction) {
        summary("gramian.confidence.percent", "Probability of the predicted class.", model, CONFIDENCE)
                .record(percent(prediction.confidence()));
        prediction
                .novelty()
                .ifPresent(pValue -> summary(
                                "gramian.novelty.percent",
                                "How unlike the training images, as a p-value.",
                                model,
                                NOVELTY)
                        .record(percent(pValue)));
        String label = prediction.predicted() < MAX_CLASSES ? prediction.label() : "";
        counters.computeIfAbsent(
                        model + '\n' + label,
                        key -> Counter.builder("gramian.predictions")
                                .description("Images per predicted class.")
                                .tag("model", model)
                                .tag("class", label)
                                .register(registry))
                .increment();
    }

    /** 5 and not 5.000000000000001 for 0.05, which would be rounded up. */
    private static double percent(double share) {
        return Math.rint(100 * share * ROUNDING) / ROUNDING;
    }

    private DistributionSummary summary(String name, String description, String model, double... bounds) {
        return summaries.computeIfAbsent(
                name + '\n' + model,
                key -> DistributionSummary.builder(name)
                        .description(description)
                        .tag("model", model)
                        .serviceLevelObjectives(bounds)
                        .register(registry));
    }
}
