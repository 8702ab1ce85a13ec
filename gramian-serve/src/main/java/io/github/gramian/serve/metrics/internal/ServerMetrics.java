package io.github.gramian.serve.metrics.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.serve.batch.internal.BatchListener;
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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Counters and histograms of the server, for Prometheus. The bounds of latencies are fixed, so that histograms of several
 * servers can be added up and a p99 of all be computed.
 */
public final class ServerMetrics {

    private static final Duration[] BOUNDS = Stream.of(
                    1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1000, 2500, 5000, 10_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);
    private static final double[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128};
    private static final Path STATUS = Path.of("/proc/self/status");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RecentRequests recent = new RecentRequests(System::nanoTime);
    private final Map<String, Timer> timers = new ConcurrentHashMap<>();
    private final PredictionMetrics predictions = new PredictionMetrics(registry);

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

    /** An image was read by a model; images without a prediction do not count. */
    public void predicted(String model, Prediction prediction) {
        if (prediction.rejection().isEmpty()) {
            predictions.record(model, prediction);
        }
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

    public RecentRequests recent() {
        return recent;
    }

    /** Everything in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }
}
