package io.github.gramian.bench;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import io.github.gramian.bench.BenchBackboneCommand.BackboneBenchmark;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FeatureRecipe;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.io.internal.Text;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.train.stage.internal.StageTrial;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Training and prediction against bare LibTorch loops. */
@Command(
        name = "training",
        description = {
            "Measures training and prediction with the default recipe.",
            "Both stages and predictions from JPEG files on ResNet-50, on synthetic",
            "data, each against a baseline: only the network, a bare LibTorch loop, only the backbone."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench training", "  gramian bench training --rounds 7 --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchTrainingCommand extends PrintingCommand {

    @Option(
            names = "--batch",
            description =
                    "Number of images per step of stage 1; stage 2 and predictions use half of it (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int batch;

    @Option(
            names = "--batches",
            description = "Number of batches of each contender per round (default: ${DEFAULT-VALUE}).",
            defaultValue = "8")
    private int batches;

    @Mixin
    private Measurement measurement;

    @Mixin
    private Measurement.WithPrecision precision;

    @Override
    public Integer call() throws IOException {
        TrainingBenchmark benchmark = new TrainingBenchmark(batch, batches, measurement.rounds(), precision.get());
        TrainingBenchmark.Result result;
        try (SyntheticImages madeUp = SyntheticImages.write(batch * batches);
                TemporaryFolder folder = TemporaryFolder.create()) {
            result = benchmark.run(madeUp.files(), folder.path());
        }
        print(measurement.json(), () -> result, out -> print(out, result));
        return 0;
    }

    private void print(PrintWriter out, TrainingBenchmark.Result result) {
        out.println(Text.format(
                "images/s, ResNet-50 in %s, %s, %d threads; medians of %d alternating rounds (slowest – fastest)",
                result.precision().toLowerCase(Locale.ROOT), result.blas(), result.threads(), measurement.rounds()));
        row(out, "stage 1 from the cache", "only the network", result.stage1());
        row(out, "stage 2 from files", "bare loop", result.stage2());
        row(out, "predictions from files", "only the backbone", result.predictions());
    }

    private static void row(PrintWriter out, String name, String baseline, TrainingBenchmark.Comparison found) {
        out.println(Text.format(
                "%-22s %7.1f (%.1f – %.1f)   %-14s %7.1f (%.1f – %.1f)   ratio %.2f, should reach %.2f",
                name,
                found.imagesPerSecond(),
                rate(found, found.ours().slowest()),
                rate(found, found.ours().fastest()),
                baseline,
                found.baselinePerSecond(),
                rate(found, found.baseline().slowest()),
                rate(found, found.baseline().fastest()),
                found.ratio(),
                found.target()));
    }

    private static double rate(TrainingBenchmark.Comparison found, double millis) {
        return 1e3 * found.images() / millis;
    }

    /**
     * Overhead of the tool over bare computation, in training and in prediction, with the settings of {@code gramian
     * train}: {@link Recipe#standard()} on ResNet-50, random weights, which cost the same as trained ones.
     *
     * <ul>
     *   <li>Stage 1 from the cache: reading, network, loss and steps; compared with only forward and backward of the network on the
     *       same features in memory.
     *   <li>Stage 2: files, trainable backbone, network and steps; compared with {@link BareFineTuning} on images in memory.
     *   <li>Predictions: files to probabilities; compared with only the backbone on images in memory.
     * </ul>
     *
     * @param batch images per step of stage 1; stage 2 and predictions take half as many, as they do by default
     * @param batches of each contender in a round
     * @param rounds measured, alternating
     * @param precision of the backbone
     */
    record TrainingBenchmark(int batch, int batches, int rounds, Precision precision) {

        private static final int WARM_UPS = 1;
        private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
        private static final Recipe RECIPE = Recipe.standard();
        private static final int SIZE = 224;
        private static final int CLASSES = 100;

        public TrainingBenchmark {
            if (batch < 2 || batches < 1) {
                throw new IllegalArgumentException("a batch needs at least 2 images and a round 1 batch but they have "
                        + batch + " and " + batches);
            }
        }

        /**
         * Result of the benchmark.
         *
         * @param precision of the backbone
         * @param stage1 from the cache, compared with only the network
         * @param stage2 from files, compared with a bare loop
         * @param predictions from files, compared with only the backbone
         * @param threads of the engine
         * @param blas library
         * @param cpuFeatures that matter
         */
        public record Result(
                String precision,
                Comparison stage1,
                Comparison stage2,
                Comparison predictions,
                int threads,
                String blas,
                List<String> cpuFeatures) {}

        /**
         * Measures everything.
         *
         * @param files images; read over and over if they are fewer than a round needs
         * @param folder for features, checkpoints and a model; should be empty
         */
        public Result run(List<Path> files, Path folder) throws IOException {
            Comparison stage1 = stage1(files, folder.resolve("stage1"));
            Comparison stage2 = stage2(files, folder.resolve("stage2"));
            Comparison predictions = predictions(files, folder.resolve("model"));
            Engine.Description engine = Engine.describe();
            return new Result(
                    precision.name(),
                    stage1,
                    stage2,
                    predictions,
                    engine.threads(),
                    engine.blas(),
                    engine.cpuFeatures());
        }

        /** Only stage 1. */
        public Comparison stage1(List<Path> files, Path folder) throws IOException {
            int images = batch * batches;
            try (Scope scope = Scope.open();
                    RandomFeatures backbone = new RandomFeatures();
                    SyntheticCache cache = cache(folder.resolve("cache"), backbone, repeated(files, images));
                    Network network = network(backbone);
                    StageTrial trial = trial(batch, network, cache, folder.resolve("run"))) {
                List<Tensor> memory = cache.batches(batch, FLOAT);
                Tensor gradient = new Seed(3).normal(FLOAT, batch, CLASSES);
                return Comparison.of(
                        new Rounds()
                                .withClock(Comparison.OURS, () -> epochMillis(trial))
                                .with(Comparison.BASELINE, () -> memory.forEach(maps -> alone(network, maps, gradient)))
                                .run(WARM_UPS, rounds),
                        images,
                        batch,
                        0.85);
            }
        }

        private static void alone(Network network, Tensor maps, Tensor gradient) {
            try (Scope step = Scope.open()) {
                network.forward(List.of(maps), Phase.training(new Seed(4))).backward(gradient);
            }
        }

        /** Only stage 2. */
        public Comparison stage2(List<Path> files, Path folder) throws IOException {
            int atOnce = batch / 2;
            int images = atOnce * batches;
            StageConfig stage = RECIPE.stage2().oneEpoch(atOnce);
            BackboneOptions learning = BackboneOptions.frozen(precision).trainableFrom("res5a");
            BackboneConfig config = new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 0); // as the bare one
            try (Scope scope = Scope.open();
                    ConvolutionalBackbone backbone = ConvolutionalBackbone.random(config, new Seed(1), learning);
                    Network network = network(backbone);
                    Network another = network(backbone);
                    BareFineTuning bare = new BareFineTuning(another, stage, precision);
                    StageTrial trial = StageTrial.live(
                            stage, network, backbone, live(network, backbone, source(files, images)), folder)) {
                ImageSource source = source(files, images);
                int[] order = IntStream.range(0, images).toArray();
                Preprocessing views = views(backbone);
                Tensor labels = HostCopy.labels(labels(atOnce), FLOAT);
                return Comparison.of(
                        new Rounds()
                                .withClock(Comparison.OURS, () -> epochMillis(trial))
                                // The same files, decoded by the same code: what is compared is the training.
                                .with(
                                        Comparison.BASELINE,
                                        () -> BackboneBenchmark.forEachBatch(
                                                source,
                                                order,
                                                views,
                                                atOnce,
                                                new Seed(3),
                                                pixels -> bare.step(pixels, labels)))
                                .run(WARM_UPS, rounds),
                        images,
                        atOnce,
                        0.95);
            }
        }

        private static ImageSource source(List<Path> files, int images) {
            return ImageSource.ofFiles(repeated(files, images), new ImageDecoder(ImageLimits.DEFAULT));
        }

        private static LiveFeatures live(Network network, ConvolutionalBackbone backbone, ImageSource source) {
            return new LiveFeatures(
                    NetworkFeatures.of(network.config()),
                    backbone,
                    source,
                    List.of(views(backbone)),
                    labels(source.count()),
                    network.placement());
        }

        /** Only predictions. */
        public Comparison predictions(List<Path> files, Path folder) throws IOException {
            int atOnce = batch / 2;
            int images = atOnce * batches;
            Path model = folder.resolve("model.gramian");
            List<String> classes =
                    IntStream.range(0, CLASSES).mapToObj(Integer::toString).toList();
            new SyntheticModel(Architecture.RESNET50, classes, new Seed(1)).write(model);
            BackboneConfig config = new BackboneConfig(Architecture.RESNET50, Variant.TORCHVISION, 0);
            List<Path> asked = repeated(files, images);
            try (Scope scope = Scope.open();
                    BatchPredictor predictor = BatchPredictor.load(model, precision);
                    ConvolutionalBackbone backbone =
                            ConvolutionalBackbone.random(config, new Seed(1), BackboneOptions.frozen(precision))) {
                Tensor memory = pixels(atOnce);
                return Comparison.of(
                        new Rounds()
                                .with(
                                        Comparison.OURS,
                                        () -> predictor.predict(asked, LoaderSettings.defaults(atOnce), answer -> {}))
                                .with(
                                        Comparison.BASELINE,
                                        () -> repeat(() -> backbone.features(memory, RandomFeatures.TAP.name())))
                                .run(WARM_UPS, rounds),
                        images,
                        atOnce,
                        0.92);
            }
        }

        private void repeat(Runnable one) {
            for (int i = 0; i < batches; i++) {
                try (Scope scope = Scope.open()) {
                    one.run();
                }
            }
        }

        private static Preprocessing views(Backbone backbone) {
            return RECIPE.views().training(SIZE, backbone.normalisation());
        }

        private static Tensor pixels(int images) {
            return new Seed(2).normal(FLOAT, images, 3, SIZE, SIZE).contiguous(MemoryFormat.ChannelsLast);
        }

        /** A network with random weights after a backbone. */
        private static Network network(Backbone backbone) {
            NetworkConfig config = RECIPE.network().on(backbone);
            return new Network(
                    config, FeatureMaps.channels(backbone, NetworkFeatures.of(config)), CLASSES, FLOAT, new Seed(1));
        }

        /** The cache of some images' features, as many as the files, which may repeat. */
        private static SyntheticCache cache(Path folder, Backbone backbone, List<Path> files) throws IOException {
            Preprocessing views = RECIPE.views().test(SIZE, backbone.normalisation());
            return SyntheticCache.fill(folder, backbone, views, files);
        }

        /** Stage 1 on everything in a cache, an epoch at a time. */
        private static StageTrial trial(int batch, Network network, SyntheticCache cache, Path folder)
                throws IOException {
            return StageTrial.cached(
                    RECIPE.stage1().oneEpoch(batch),
                    network,
                    cache.features(),
                    cache.keys(),
                    labels(cache.keys().size()),
                    folder);
        }

        /** The time of one more epoch. */
        private static double epochMillis(StageTrial trial) {
            try {
                return 1e3 * trial.epochSeconds();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private static int[] labels(int images) {
            return IntStream.range(0, images).map(i -> i % CLASSES).toArray();
        }

        private static List<Path> repeated(List<Path> files, int count) {
            if (files.isEmpty()) {
                throw new IllegalArgumentException("the benchmark needs at least one image file");
            }
            return IntStream.range(0, count)
                    .mapToObj(i -> files.get(i % files.size()))
                    .toList();
        }

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

        /**
         * A feature cache to measure with, filled as any other.
         *
         * @param features the open cache
         * @param keys of the images, in the order of their files
         */
        private record SyntheticCache(FeatureCache features, List<ContentKey> keys) implements AutoCloseable {

            private static final int BATCH = 16;

            static SyntheticCache fill(Path folder, Backbone backbone, Preprocessing views, List<Path> files)
                    throws IOException {
                List<String> taps = List.of(RandomFeatures.TAP.name());
                FeatureRecipe recipe = FeatureRecipe.of(backbone, taps, views, new Seed(0), TensorType.F16);
                FeatureExtraction extraction = new FeatureExtraction(
                        folder,
                        recipe,
                        backbone,
                        new ImageDecoder(ImageLimits.DEFAULT),
                        LoaderSettings.defaults(BATCH));
                FeatureExtraction.Plan plan = extraction.plan(files);
                extraction.run(plan, (done, total) -> {});
                List<ContentKey> keys =
                        plan.keys().stream().map(Optional::orElseThrow).toList();
                return new SyntheticCache(FeatureCache.open(folder, recipe), keys);
            }

            /** All features in the order of the keys, [batch, C, N] each, in the caller's scope. */
            List<Tensor> batches(int size, Placement placement) throws IOException {
                List<Tensor> batches = new ArrayList<>();
                for (int start = 0; start < keys.size(); start += size) {
                    List<ContentKey> some = keys.subList(start, Math.min(keys.size(), start + size));
                    Tensor stored = features.features(RandomFeatures.TAP.name(), some);
                    batches.add(FeatureMaps.flat(stored.flatten(0, 1), placement));
                }
                return batches;
            }

            @Override
            public void close() throws IOException {
                features.close();
            }
        }

        /** Features of the form that ResNet-50 has, drawn at random: fills a cache quickly. */
        private static final class RandomFeatures implements Backbone {

            /** The only layer. */
            static final Tap TAP = new Tap("res5c", List.of(), 2048, 32);

            private long drawn;

            @Override
            public String name() {
                return "drawn";
            }

            @Override
            public Normalisation normalisation() {
                return Normalisation.TORCHVISION;
            }

            @Override
            public Placement placement() {
                return FLOAT;
            }

            @Override
            public String weightsHash() {
                return "none";
            }

            @Override
            public List<Tap> taps() {
                return List.of(TAP);
            }

            /** Other values at every call. */
            @Override
            public Map<String, Tensor> features(Tensor images, List<String> taps) {
                long side = images.size(2) / TAP.stride();
                Tensor normal = new Seed(drawn++).normal(FLOAT, images.size(0), TAP.channels(), side, side);
                return Map.of(TAP.name(), normal.relu_());
            }

            @Override
            public Map<String, Tensor> parameters() {
                return Map.of();
            }

            @Override
            public void close() {}
        }
    }
}
