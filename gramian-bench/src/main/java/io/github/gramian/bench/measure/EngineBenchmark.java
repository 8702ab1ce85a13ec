package io.github.gramian.bench.measure;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.engine.internal.FrozenEngine;
import io.github.gramian.backbone.engine.internal.FrozenRequest;
import io.github.gramian.backbone.internal.FrozenEngineProvider;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * The features of a backbone alone on each engine, in turn, for several batch sizes and thread counts: LibTorch layer by layer,
 * Gramian as users run it, and the other engines that are installed. The machine's limit is measured in the same rounds.
 *
 * @param config the network, with random weights
 * @param size side of the images, in pixels
 * @param batches sizes of a batch
 * @param threads thread counts
 * @param rounds number of measured rounds
 * @param precision of LibTorch and Gramian; other engines compute in float
 */
public record EngineBenchmark(
        BackboneConfig config,
        int size,
        List<Integer> batches,
        List<Integer> threads,
        int rounds,
        Precision precision) {

    /** Number of images of a round, so that rounds of small batches are not too short. */
    private static final int IMAGES = 8;

    private static final String LIMIT = "limit";

    public EngineBenchmark {
        batches = List.copyOf(batches);
        threads = List.copyOf(threads);
    }

    /**
     * One engine with one batch size and thread count.
     *
     * @param engine {@code plain} for LibTorch layer by layer, {@code gramian}, or the name of another engine
     * @param imagesPerSecond by the median round
     * @param limitShare operations per second as a share of those of large matrix products, in the same run and with the same
     *     number of threads
     */
    public record Result(
            String network,
            String engine,
            String precision,
            int batch,
            int threads,
            double imagesPerSecond,
            double limitShare) {}

    /** Measures; the engine has as many threads afterwards as before. */
    public List<Result> run() throws IOException {
        int before = Engine.describe().threads();
        List<Result> results = new ArrayList<>();
        try (NoGradGuard noGradients = new NoGradGuard()) {
            for (int count : threads) {
                Engine.useThreads(count);
                results.addAll(run(count));
            }
        } finally {
            Engine.useThreads(before);
        }
        return results;
    }

    private List<Result> run(int count) throws IOException {
        BackboneOptions options = BackboneOptions.frozen(precision);
        Map<String, FrozenEngine> others = new LinkedHashMap<>();
        try (Scope scope = Scope.open();
                ConvolutionalBackbone plain = ConvolutionalBackbone.random(config, new Seed(1), options.plain());
                ConvolutionalBackbone ours = ConvolutionalBackbone.random(config, new Seed(1), options);
                MachineLimit limit = new MachineLimit(precision)) {
            String tap = last(plain).name();
            for (FrozenEngineProvider provider : FrozenEngineProvider.installed()) {
                // Other engines read weights as float, whatever the precision.
                provider.open(plain.steps(), new FrozenRequest(List.of(tap), size, count))
                        .ifPresent(engine -> others.put(provider.name(), engine));
            }
            Rounds contest = new Rounds().with(LIMIT, limit::run);
            for (int batch : batches) {
                Tensor images = new Seed(2)
                        .normal(Placement.cpu(Precision.FLOAT), batch, 3, size, size)
                        .contiguous(MemoryFormat.ChannelsLast);
                contest.with("plain " + batch, () -> repeat(batch, () -> plain.features(images, tap)));
                contest.with("gramian " + batch, () -> repeat(batch, () -> ours.features(images, tap)));
                others.forEach((name, engine) ->
                        contest.with(name + " " + batch, () -> repeat(batch, () -> engine.features(images))));
            }
            Map<String, Timing> timings = contest.run(1, rounds);
            double operations = Operations.perImage(plain.steps(), List.of(tap), size);
            List<String> engines = new ArrayList<>(List.of("plain", "gramian"));
            engines.addAll(others.keySet());
            return results(engines, timings, operations, count);
        } finally {
            others.values().forEach(FrozenEngine::close);
        }
    }

    private List<Result> results(List<String> engines, Map<String, Timing> timings, double operations, int count) {
        double limit = MachineLimit.perSecond(requireNonNull(timings.get(LIMIT)));
        List<Result> results = new ArrayList<>();
        for (int batch : batches) {
            for (String engine : engines) {
                double median =
                        requireNonNull(timings.get(engine + " " + batch)).median();
                double rate = 1e3 * repeats(batch) * batch / median;
                results.add(new Result(
                        config.key(), engine, precision.name(), batch, count, rate, rate * operations / limit));
            }
        }
        return results;
    }

    private static Tap last(Backbone backbone) {
        List<Tap> taps = backbone.taps();
        return taps.get(taps.size() - 1);
    }

    private static int repeats(int batch) {
        return Math.max(1, IMAGES / batch);
    }

    private static void repeat(int batch, Runnable one) {
        for (int i = 0; i < repeats(batch); i++) {
            try (Scope scope = Scope.open()) {
                one.run();
            }
        }
    }
}
