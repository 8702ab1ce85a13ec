package io.github.gramian.bench.measure;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;

/**
 * Features of ResNet-50 (res5c, 224 px): our backbone from memory and from image files, compared with a bare loop over LibTorch's
 * functions in the same precision and in contiguous float.
 *
 * @param batch images at once
 * @param batches of each contender in a round
 * @param rounds measured rounds, alternating
 * @param precision of the backbone
 */
public record BackboneBenchmark(int batch, int batches, int rounds, Precision precision) {

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
    public Result run(List<Path> files) {
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
                                    source, order, views, batch, new Seed(0), pixels -> ours.features(pixels, "res5c")))
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

    private Result result(Map<String, Timing> timings, int images) {
        Map<String, Double> rates = new LinkedHashMap<>();
        timings.forEach((name, timing) -> rates.put(name, images / (timing.median() / 1e3)));
        double bare = requireNonNull(rates.get("bare"));
        Engine.Description engine = Engine.describe();
        return new Result(
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
