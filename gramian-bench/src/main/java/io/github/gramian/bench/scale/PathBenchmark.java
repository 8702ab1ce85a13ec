package io.github.gramian.bench.scale;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.bench.measure.ImageBatches;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Cpu;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.PeakMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;

/**
 * Images from file to class probabilities, with what {@code gramian train} makes by default: ResNet-50 in the precision that
 * is faster here and the standard recipe's network, both with random weights, which cost the same as trained ones.
 *
 * @param counts image counts to time, ascending; the last gives the rate
 * @param batch images at once
 * @param rounds measured of each, alternating
 */
public record PathBenchmark(List<Integer> counts, int batch, int rounds) {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int SIZE = 224;
    private static final int CLASSES = 100;
    private static final int CHANNELS = 2048;
    private static final int POSITIONS = 49;
    private static final int TRAINING_BATCH = 32;

    public PathBenchmark {
        counts = List.copyOf(counts);
    }

    /**
     * The time that some images took.
     *
     * @param images how many
     * @param timing milliseconds
     * @param megabytes that they needed at the highest, above what the process held before; NaN where unknown
     */
    public record Point(int images, Timing timing, double megabytes) {}

    /**
     * What was measured.
     *
     * @param points time over the number of images, file to probabilities
     * @param growth fitted to the points
     * @param imagesPerSecond at the largest number
     * @param oneImageMillis a single image, from its file, everything loaded and warm
     * @param decodedPerSecond files decoded, resized and normalised by one thread
     * @param trainedPerSecond images that go forward and backward through the network after the backbone
     * @param featureBytes of the features of an image in the cache
     * @param threads of the engine
     * @param precision of the backbone
     */
    public record Result(
            List<Point> points,
            PowerLaw growth,
            double imagesPerSecond,
            double oneImageMillis,
            double decodedPerSecond,
            double trainedPerSecond,
            long featureBytes,
            int threads,
            Precision precision) {}

    /** Measures, reading these image files over and over. */
    public Result run(List<Path> files) {
        if (files.isEmpty()) {
            throw new IllegalArgumentException("the benchmark needs at least one image file");
        }
        try (Scope scope = Scope.open();
                Setting setting = new Setting(files)) {
            Rounds rounds = new Rounds();
            for (int count : counts) {
                rounds.with("images " + count, () -> setting.predict(count, batch));
            }
            rounds.with("one", setting::predictOne);
            rounds.with("decode", () -> setting.input(0));
            Tensor features = new Seed(2)
                    .normal(FLOAT, TRAINING_BATCH, CHANNELS, POSITIONS)
                    .relu_();
            Tensor gradient = new Seed(3).normal(FLOAT, TRAINING_BATCH, CLASSES);
            rounds.with("train", () -> setting.train(features, gradient));
            setting.predict(counts.get(0), batch); // what is loaded once must not count for the first number
            Map<Integer, Double> megabytes = new LinkedHashMap<>();
            for (int count : counts) {
                megabytes.put(count, PeakMemory.megabytes(() -> setting.predict(count, batch)));
            }
            return result(rounds.run(1, this.rounds), megabytes);
        }
    }

    private Result result(Map<String, Timing> timings, Map<Integer, Double> megabytes) {
        List<Point> points = new ArrayList<>();
        for (int count : counts) {
            points.add(new Point(
                    count, requireNonNull(timings.get("images " + count)), requireNonNull(megabytes.get(count))));
        }
        Point last = points.get(points.size() - 1);
        return new Result(
                List.copyOf(points),
                PowerLaw.fit(
                        points.stream().mapToDouble(Point::images).toArray(),
                        points.stream()
                                .mapToDouble(point -> point.timing().median())
                                .toArray()),
                last.images() / (last.timing().median() / 1e3),
                requireNonNull(timings.get("one")).median(),
                1e3 / requireNonNull(timings.get("decode")).median(),
                TRAINING_BATCH / (requireNonNull(timings.get("train")).median() / 1e3),
                2L * CHANNELS * POSITIONS,
                Engine.describe().threads(),
                Cpu.fastestPrecision());
    }

    /** A predictor without a model file. */
    private static final class Setting implements AutoCloseable {
        private final List<Path> files;
        private final ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);
        private final ConvolutionalBackbone backbone = ConvolutionalBackbone.random(
                new BackboneConfig(Architecture.RESNET50, Variant.KERAS, 1000),
                new Seed(1),
                BackboneOptions.frozen(Cpu.fastestPrecision()));
        private final Network network =
                new Network(Recipe.standard().network(), List.of(CHANNELS), CLASSES, FLOAT, new Seed(1));
        private final Preprocessing views =
                Preprocessing.centre(256, SIZE, Interpolation.BILINEAR, backbone.normalisation());

        Setting(List<Path> files) {
            this.files = files;
        }

        void predict(int images, int batch) {
            int[] order = IntStream.range(0, images).map(i -> i % files.size()).toArray();
            ImageSource source = ImageSource.ofFiles(files, decoder);
            ImageBatches.forEach(source, order, views, Math.min(batch, images), new Seed(0), this::answer);
        }

        void predictOne() {
            answer(input(0));
        }

        Tensor input(int file) {
            Decoded decoded = decoder.decode(files.get(file));
            if (decoded instanceof Decoded.Picture picture) {
                float[] values = views.valuesOf(picture.image(), ChannelOrder.LAST, new Seed(0));
                return ImageTensors.of(new InputPixels(List.of(values), SIZE, ChannelOrder.LAST));
            }
            throw new IllegalArgumentException(files.get(file) + ": " + ((Decoded.Rejected) decoded).sentence());
        }

        private void answer(Tensor images) {
            try (NoGradGuard noGradients = new NoGradGuard()) {
                Tensor maps = FeatureMaps.flat(backbone.features(images, "res5c"), FLOAT);
                HostCopy.floats(network.probabilities(network.describe(List.of(maps))));
            }
        }

        void train(Tensor features, Tensor gradient) {
            network.forward(List.of(features), Phase.training(new Seed(4))).backward(gradient);
        }

        @Override
        public void close() {
            network.close();
            backbone.close();
        }
    }
}
