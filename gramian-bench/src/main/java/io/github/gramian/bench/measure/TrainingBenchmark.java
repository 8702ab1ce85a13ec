package io.github.gramian.bench.measure;

import static io.github.gramian.bench.measure.DefaultTraining.CLASSES;
import static io.github.gramian.bench.measure.DefaultTraining.FLOAT;
import static io.github.gramian.bench.measure.DefaultTraining.RECIPE;
import static io.github.gramian.bench.measure.DefaultTraining.SIZE;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.stage.internal.StageTrial;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

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
public record TrainingBenchmark(int batch, int batches, int rounds, Precision precision) {

    private static final int WARM_UPS = 1;

    public TrainingBenchmark {
        if (batch < 2 || batches < 1) {
            throw new IllegalArgumentException(
                    "a batch needs at least 2 images and a round 1 batch but they have " + batch + " and " + batches);
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
                precision.name(), stage1, stage2, predictions, engine.threads(), engine.blas(), engine.cpuFeatures());
    }

    /** Only stage 1. */
    public Comparison stage1(List<Path> files, Path folder) throws IOException {
        int images = batch * batches;
        try (Scope scope = Scope.open();
                RandomFeatures backbone = new RandomFeatures();
                SyntheticCache cache = DefaultTraining.cache(
                        folder.resolve("cache"), backbone, DefaultTraining.repeated(files, images));
                Network network = DefaultTraining.network(backbone);
                StageTrial trial = DefaultTraining.stage1(batch, network, cache, folder.resolve("run"))) {
            List<Tensor> memory = cache.batches(batch, FLOAT);
            Tensor gradient = new Seed(3).normal(FLOAT, batch, CLASSES);
            return Comparison.of(
                    new Rounds()
                            .withClock(Comparison.OURS, () -> DefaultTraining.epochMillis(trial))
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
                Network network = DefaultTraining.network(backbone);
                Network another = DefaultTraining.network(backbone);
                BareFineTuning bare = new BareFineTuning(another, stage, precision);
                StageTrial trial = StageTrial.live(
                        stage, network, backbone, live(network, backbone, source(files, images)), folder)) {
            ImageSource source = source(files, images);
            int[] order = IntStream.range(0, images).toArray();
            Preprocessing views = views(backbone);
            Tensor labels = HostCopy.labels(DefaultTraining.labels(atOnce), FLOAT);
            return Comparison.of(
                    new Rounds()
                            .withClock(Comparison.OURS, () -> DefaultTraining.epochMillis(trial))
                            // The same files, decoded by the same code: what is compared is the training.
                            .with(
                                    Comparison.BASELINE,
                                    () -> ImageBatches.forEach(
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
        return ImageSource.ofFiles(DefaultTraining.repeated(files, images), new ImageDecoder(ImageLimits.DEFAULT));
    }

    private static LiveFeatures live(Network network, ConvolutionalBackbone backbone, ImageSource source) {
        return new LiveFeatures(
                NetworkFeatures.of(network.config()),
                backbone,
                source,
                List.of(views(backbone)),
                DefaultTraining.labels(source.count()),
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
        List<Path> asked = DefaultTraining.repeated(files, images);
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
}
