package io.github.gramian.serve.inference.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.serve.inference.internal.Batcher.BatchListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Counters and histograms of the server, for Prometheus. The bounds of latencies are fixed, so that histograms of several
 * servers can be added up and a p99 of all be computed.
 */
public final class ServerMetrics {

    /** Each class is a series that the server and Prometheus keep. Further classes are counted together. */
    static final int MAX_CLASSES = 1000;

    private static final Duration[] BOUNDS = Stream.of(
                    1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1000, 2500, 5000, 10_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);
    /** Micrometer rounds values up to whole numbers before it compares them with bounds: percentages, not shares. */
    private static final double[] NOVELTY = {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90};

    private static final double[] CONFIDENCE = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};
    private static final double ROUNDING = 1e9;
    private static final double[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128};
    private static final Path STATUS = Path.of("/proc/self/status");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RecentRequests recent = new RecentRequests();
    private final Map<String, Timer> timers = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> summaries = new ConcurrentHashMap<>();
    private final Map<String, Counter> predictions = new ConcurrentHashMap<>();

    /** With gauges of the process. */
    public ServerMetrics() {
        Runtime jvm = Runtime.getRuntime();
        gauge("process.resident.memory.bytes", "Memory in RAM, native memory included.", ServerMetrics::resident);
        gauge("jvm.heap.used.bytes", "Java's own heap.", () -> jvm.totalMemory() - jvm.freeMemory());
        gauge("jvm.heap.committed.bytes", "Committed size of the Java heap.", jvm::totalMemory);
        gauge(
                "gramian.native.memory.bytes",
                "Resident memory beyond the used heap: models, engine, free pages of the heap.",
                () -> Math.max(0, resident() - jvm.totalMemory() + jvm.freeMemory()));
        gauge("jvm.threads", "Threads.", ManagementFactory.getThreadMXBean()::getThreadCount);
    }

    private void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder(name, value).description(description).register(registry);
    }

    private static long resident() {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    public void stage(RequestStage stage, String model, long nanos) {
        timers.computeIfAbsent(
                        stage + " " + model,
                        key -> Timer.builder("gramian.stage")
                                .description("Latency by stage.")
                                .tag("stage", stage.label())
                                .tag("model", model)
                                .serviceLevelObjectives(BOUNDS)
                                .register(registry))
                .record(Duration.ofNanos(nanos));
    }

    public BatchListener batches(String model) {
        DistributionSummary sizes = DistributionSummary.builder("gramian.batch.images")
                .description("Number of images per batch.")
                .tag("model", model)
                .serviceLevelObjectives(BATCHES)
                .register(registry);
        return new BatchListener() {
            @Override
            public void onWaited(long nanos) {
                stage(RequestStage.QUEUE, model, nanos);
            }

            @Override
            public void onBatch(int size, long nanos) {
                sizes.record(size);
                stage(RequestStage.COMPUTE, model, nanos);
            }
        };
    }

    /**
     * An image was read by a model; images without a prediction do not count. Histograms of novelty and confidence, and counts
     * per predicted class, are for alerts on drift.
     *
     * @param probable whether the model gives probabilities
     */
    public void predicted(String model, Prediction prediction, boolean probable) {
        if (prediction.rejection().isPresent()) {
            return;
        }
        if (probable) {
            share("gramian.confidence.percent", "Probability of the predicted class.", model, CONFIDENCE)
                    .record(percent(prediction.confidence()));
        }
        prediction
                .novelty()
                .ifPresent(pValue -> share(
                                "gramian.novelty.percent",
                                "How unlike the training images, as a p-value.",
                                model,
                                NOVELTY)
                        .record(percent(pValue)));
        String label = prediction.predicted() < MAX_CLASSES ? prediction.label() : "";
        predictions
                .computeIfAbsent(
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

    private DistributionSummary share(String name, String description, String model, double... bounds) {
        return summaries.computeIfAbsent(
                name + '\n' + model,
                key -> DistributionSummary.builder(name)
                        .description(description)
                        .tag("model", model)
                        .serviceLevelObjectives(bounds)
                        .register(registry));
    }

    public void queue(String model, Supplier<Number> waiting) {
        Gauge.builder("gramian.queue.images", waiting)
                .description("Images that wait or are being decoded.")
                .tag("model", model)
                .register(registry);
    }

    public void answered(String endpoint, int status) {
        count("gramian.requests", "Answered requests.", "endpoint", endpoint, "status", Integer.toString(status));
    }

    /** A request for inference has been answered. */
    public void inferred(String model, long nanos) {
        stage(RequestStage.TOTAL, model, nanos);
        recent.add(nanos);
    }

    /** A request was turned away. */
    public void rejected(String reason) {
        count("gramian.rejected", "Rejected requests.", "reason", reason);
    }

    public void connections(Supplier<Number> open) {
        gauge("gramian.connections", "Open connections.", open);
    }

    /** The server has closed a connection that held no request. */
    public void connectionClosed(String reason) {
        count("gramian.connections.closed", "Connections that the server closed.", "reason", reason);
    }

    /** A model was loaded again, or could not be. */
    public void reloaded(String model, boolean success) {
        count(
                "gramian.reloads",
                "Attempts to load a model again.",
                "model",
                model,
                "result",
                success ? "done" : "failed");
    }

    /** Prometheus asks for a description of every metric; its own tools warn if one is missing. */
    private void count(String name, String description, String... tags) {
        Counter.builder(name)
                .description(description)
                .tags(tags)
                .register(registry)
                .increment();
    }

    /** The requests of the last half minute, for the page: Prometheus computes its own latencies from the histograms. */
    public Summary recent() {
        return recent.summary();
    }

    /** Everything in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    /**
     * The last half minute.
     *
     * @param perSecond requests answered
     * @param medianMillis 0 if there were none
     * @param p99Millis 0 if there were none
     */
    public record Summary(double perSecond, double medianMillis, double p99Millis) {}

    /** The latencies of the last requests. */
    private static final class RecentRequests {

        private static final int CAPACITY = 4096;
        private static final long SPAN = TimeUnit.SECONDS.toNanos(30);

        private final long start = System.nanoTime();
        private final long[] ended = new long[CAPACITY];
        private final long[] lasted = new long[CAPACITY];
        private long count;

        synchronized void add(long nanos) {
            int place = (int) (count++ % CAPACITY);
            ended[place] = System.nanoTime();
            lasted[place] = nanos;
        }

        synchronized Summary summary() {
            long now = System.nanoTime();
            int filled = (int) Math.min(count, CAPACITY);
            long[] recent = new long[filled];
            int found = 0;
            long oldest = now;
            for (int i = 0; i < filled; i++) {
                if (now - ended[i] <= SPAN) {
                    recent[found++] = lasted[i];
                    oldest = Math.min(oldest, ended[i]);
                }
            }
            Arrays.sort(recent, 0, found);
            // All stored requests may be younger than the span; then the summary covers a shorter one.
            long span = found == CAPACITY ? now - oldest : Math.min(SPAN, now - start);
            return new Summary(
                    found / Math.max(1e-3, span / 1e9), millis(recent, found, 0.5), millis(recent, found, 0.99));
        }

        private static double millis(long[] sorted, int count, double share) {
            return count == 0 ? 0 : sorted[(int) Math.ceil(share * count) - 1] / 1e6;
        }
    }

    /** The stages that a request passes, each with its own histogram. */
    public enum RequestStage {
        /** Decoding and normalising the images of a request. */
        DECODE,
        /** From an image's entry into the queue to the start of its batch. */
        QUEUE,
        /** A batch in the network. */
        COMPUTE,
        /** A search of the index of photographs. */
        SEARCH,
        /** A request from its first byte to the last of the answer. */
        TOTAL;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
