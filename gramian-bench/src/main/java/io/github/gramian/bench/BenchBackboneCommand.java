package io.github.gramian.bench;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.engine.internal.FrozenEngine;
import io.github.gramian.backbone.engine.internal.FrozenRequest;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.backbone.internal.FrozenEngineProvider;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The backbone and the pipeline around it. */
@Command(
        name = "backbone",
        description = {
            "Measures the features of a backbone.",
            "Takes ResNet-50 images from memory and from files, and compares with a bare loop over LibTorch's functions in the",
            "same precision and in contiguous float. With --engines, measures any network on each engine instead, for",
            "several batch sizes and thread counts, with the machine's limit: the speed of large matrix products."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench backbone",
            "  gramian bench backbone --images photos/ --json",
            "  gramian bench backbone --engines --network vgg16-torchvision --engine-batches 1,8,32 --threads 1,2",
            "  OMP_WAIT_POLICY=PASSIVE gramian bench backbone --engines"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchBackboneCommand extends PrintingCommand {

    private static final int MADE_UP = 48;

    @Option(names = "--images", description = "Directory of image files (default: synthetic JPEG files).")
    private @Nullable Path images;

    @Option(
            names = "--batch",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).",
            defaultValue = "16")
    private int batch;

    @Option(
            names = "--batches",
            description = "Number of batches of each contender per round (default: ${DEFAULT-VALUE}).",
            defaultValue = "6")
    private int batches;

    @Option(names = "--engines", description = "Compare the engines instead of the pipeline.")
    private boolean engines;

    @Option(
            names = "--network",
            description = "Network and variant for --engines (default: ${DEFAULT-VALUE}).",
            defaultValue = "resnet50-torchvision")
    private String network = "";

    @Option(
            names = "--size",
            description = "Side of the images for --engines, in pixels (default: ${DEFAULT-VALUE}).",
            defaultValue = "224")
    private int size;

    @Option(
            names = "--engine-batches",
            split = ",",
            description = "Batch sizes for --engines (default: ${DEFAULT-VALUE}).",
            defaultValue = "1,8,32")
    private List<Integer> engineBatches = List.of();

    @Option(
            names = "--threads",
            split = ",",
            description = "Thread counts for --engines (default: ${DEFAULT-VALUE}).",
            defaultValue = "1,2")
    private List<Integer> threads = List.of();

    @Mixin
    private Measurement measurement;

    @Mixin
    private Measurement.WithPrecision precision;

    @Override
    public Integer call() throws IOException {
        if (engines) {
            List<EngineBenchmark.Result> results = new EngineBenchmark(
                            BackboneConfig.named(network),
                            size,
                            engineBatches,
                            threads,
                            measurement.rounds(),
                            precision.get())
                    .run();
            print(measurement.json(), () -> results, out -> printEngines(out, results));
            return 0;
        }
        BackboneBenchmark benchmark = new BackboneBenchmark(batch, batches, measurement.rounds(), precision.get());
        BackboneBenchmark.Result result =
                images == null ? onMadeUpImages(benchmark) : benchmark.run(filesBelow(images));
        print(measurement.json(), () -> result, out -> print(out, result));
        return 0;
    }

    private static void print(PrintWriter out, BackboneBenchmark.Result result) {
        result.imagesPerSecond().forEach((name, rate) -> out.println(Text.format("%-14s %7.1f images/s", name, rate)));
        out.println(Text.format(
                "the bare loop in %s is %.1f × contiguous float; ours is %.2f of the bare loop, from files %.2f",
                result.precision().toLowerCase(Locale.ROOT),
                result.bf16Speedup(),
                result.ratioToBare(),
                result.ratioFromFiles()));
    }

    private static void printEngines(PrintWriter out, List<EngineBenchmark.Result> results) {
        for (EngineBenchmark.Result result : results) {
            out.println(Text.format(
                    "%s, %s, %d threads, batch %d, %s: %.1f images/s, %.2f of the machine's limit",
                    result.network(),
                    result.precision().toLowerCase(Locale.ROOT),
                    result.threads(),
                    result.batch(),
                    result.engine(),
                    result.imagesPerSecond(),
                    result.limitShare()));
        }
    }

    private static List<Path> filesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().limit(1000).toList();
        }
    }

    private static BackboneBenchmark.Result onMadeUpImages(BackboneBenchmark benchmark) throws IOException {
        try (SyntheticImages madeUp = SyntheticImages.write(MADE_UP)) {
            return benchmark.run(madeUp.files());
        }
    }

    /**
     * Features of ResNet-50 (res5c, 224 px): our backbone from memory and from image files, compared with a bare loop over LibTorch's
     * functions in the same precision and in contiguous float.
     *
     * @param batch images at once
     * @param batches of each contender in a round
     * @param rounds measured rounds, alternating
     * @param precision of the backbone
     */
    record BackboneBenchmark(int batch, int batches, int rounds, Precision precision) {

        private static final int SIZE = 224;

        /**
         * What was measured: medians.
         *
         * @param precision of the backbone
         * @param imagesPerSecond by contender
         * @param bf16Speedup the bare loop in this precision (default: bfloat16) and channels-last over contiguous float
         * @param ratioToBare ours from memory over the bare loop, both in this precision
         * @param ratioFromFiles ours from image files over the bare loop from memory
         * @param threads of the engine
         * @param cpuFeatures that matter
         */
        public record Result(
                String precision,
                Map<String, Double> imagesPerSecond,
                double bf16Speedup,
                double ratioToBare,
                double ratioFromFiles,
                int threads,
                List<String> cpuFeatures) {}

        /** Measures, reading these image files over and over. */
        public BackboneBenchmark.Result run(List<Path> files) {
            if (files.isEmpty()) {
                throw new IllegalArgumentException("the benchmark needs at least one image file");
            }
            int images = batch * batches;
            ImageSource source = ImageSource.ofFiles(files, new ImageDecoder(ImageLimits.DEFAULT));
            int[] order = IntStream.range(0, images).map(i -> i % files.size()).toArray();
            BackboneConfig config = new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 1000);
            try (Scope scope = Scope.open();
                    NoGradGuard noGradients = new NoGradGuard();
                    BareResNet50 floats = new BareResNet50(Precision.FLOAT, false);
                    BareResNet50 bare = new BareResNet50(precision, true);
                    ConvolutionalBackbone ours =
                            ConvolutionalBackbone.random(config, new Seed(1), BackboneOptions.frozen(precision))) {
                Tensor memory = new Seed(2).normal(Placement.cpu(Precision.FLOAT), batch, 3, SIZE, SIZE);
                Preprocessing views = Preprocessing.centre(256, SIZE, Interpolation.BILINEAR, ours.normalisation());
                Map<String, Timing> timings = new Rounds()
                        .with("bareFloat", () -> repeat(() -> floats.features(memory)))
                        .with("bare", () -> repeat(() -> bare.features(memory)))
                        .with("ours", () -> repeat(() -> ours.features(memory, "res5c")))
                        .with(
                                "oursFromFiles",
                                () -> forEachBatch(
                                        source,
                                        order,
                                        views,
                                        batch,
                                        new Seed(0),
                                        pixels -> ours.features(pixels, "res5c")))
                        .run(1, rounds);
                return result(timings, images);
            }
        }

        private void repeat(Runnable one) {
            for (int i = 0; i < batches; i++) {
                try (Scope scope = Scope.open()) {
                    one.run();
                }
            }
        }

        private BackboneBenchmark.Result result(Map<String, Timing> timings, int images) {
            Map<String, Double> rates = new LinkedHashMap<>();
            timings.forEach((name, timing) -> rates.put(name, images / (timing.median() / 1e3)));
            double bare = requireNonNull(rates.get("bare"));
            Engine.Description engine = Engine.describe();
            return new BackboneBenchmark.Result(
                    precision.name(),
                    rates,
                    bare / requireNonNull(rates.get("bareFloat")),
                    requireNonNull(rates.get("ours")) / bare,
                    requireNonNull(rates.get("oursFromFiles")) / bare,
                    engine.threads(),
                    engine.cpuFeatures());
        }

        /**
         * Loads images as predictions and trainings do, and gives every batch to some work, each in its own scope.
         *
         * @param order of the images, by their number in the source
         * @param batch images at once
         * @param seed of what is random about the views
         * @param work takes [batch, 3, size, size]
         */
        static void forEachBatch(
                ImageSource source, int[] order, Preprocessing views, int batch, Seed seed, Consumer<Tensor> work) {
            try (ImageLoader loader = new ImageLoader(source, order, views, LoaderSettings.defaults(batch), seed)) {
                while (loader.hasNext()) {
                    try (Scope scope = Scope.open()) {
                        work.accept(ImageTensors.of(loader.next().pixels()));
                    }
                }
            }
        }
    }

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
    record EngineBenchmark(
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
        public List<EngineBenchmark.Result> run() throws IOException {
            int before = Engine.describe().threads();
            List<EngineBenchmark.Result> results = new ArrayList<>();
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

        private List<EngineBenchmark.Result> run(int count) throws IOException {
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
                return results(
                        engines, timings, limit.perSecond(requireNonNull(timings.get(LIMIT))) / operations, count);
            } finally {
                others.values().forEach(FrozenEngine::close);
            }
        }

        private List<EngineBenchmark.Result> results(
                List<String> engines, Map<String, Timing> timings, double limitRate, int count) {
            List<EngineBenchmark.Result> results = new ArrayList<>();
            for (int batch : batches) {
                for (String engine : engines) {
                    double median =
                            requireNonNull(timings.get(engine + " " + batch)).median();
                    double rate = 1e3 * repeats(batch) * batch / median;
                    results.add(new EngineBenchmark.Result(
                            config.key(), engine, precision.name(), batch, count, rate, rate / limitRate));
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
}
