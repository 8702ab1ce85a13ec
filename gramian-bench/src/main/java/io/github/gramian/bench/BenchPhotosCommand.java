package io.github.gramian.bench;

import static java.util.Objects.requireNonNull;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageFormat;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** From photographs of many megapixels to predictions. */
@Command(
        name = "photos",
        description = {
            "Measures predictions of large photographs.",
            "JPEGs of 12 megapixels on ResNet-50: reduced while they are decoded, compared with decoding and resizing",
            "every pixel. With your own photographs and model, it also reports whether reduced decoding changes predictions."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench photos",
            "  gramian bench photos --images 64 --json",
            "  gramian bench photos --photos holiday/ --model runs/first/model.gramian --rounds 1"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchPhotosCommand extends PrintingCommand {

    @Option(
            names = "--photos",
            paramLabel = "DIR",
            description = "Directory of your own colour JPEGs (default: synthetic ones).")
    private @Nullable Path photos;

    @Option(
            names = "--model",
            paramLabel = "FILE",
            description = "Trained model (default: a network with random weights).")
    private @Nullable Path model;

    @Option(
            names = "--images",
            description = "Number of synthetic photographs per round (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int images;

    @Option(
            names = "--width",
            description = "Width of a synthetic photograph in pixels (default: ${DEFAULT-VALUE}).",
            defaultValue = "4000")
    private int width;

    @Option(
            names = "--height",
            description = "Height of a synthetic photograph in pixels (default: ${DEFAULT-VALUE}).",
            defaultValue = "3000")
    private int height;

    @Option(
            names = "--batch",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).",
            defaultValue = "8")
    private int batch;

    @Mixin
    private Measurement measurement;

    @Mixin
    private Measurement.WithPrecision precision;

    @Override
    public Integer call() throws IOException {
        if (photos != null) {
            return measure(Layouts.images(photos));
        }
        try (SyntheticImages photographs = SyntheticImages.photographs(images, width, height)) {
            return measure(photographs.files());
        }
    }

    private int measure(List<Path> files) throws IOException {
        PhotoBenchmark benchmark = new PhotoBenchmark(batch, measurement.rounds(), precision.get());
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path measured = model;
            if (measured == null) {
                measured = folder.path().resolve("model.gramian");
                PhotoBenchmark.writeModel(measured);
            }
            PhotoBenchmark.Result result = benchmark.run(files, measured);
            print(measurement.json(), () -> result, out -> print(out, result));
            return 0;
        }
    }

    private static void print(PrintWriter out, PhotoBenchmark.Result result) {
        out.println(Text.format(
                "%.1f photographs/s, %.2f × as many as with every pixel decoded; decoding takes %.0f %% of the cores' time",
                result.imagesPerSecond(), result.speedupOverFull(), 100 * result.decodeShare()));
        out.println(Text.format(
                "decoding and resizing one on one core: %.0f ms, every pixel: %.0f ms",
                result.decodeMillis(), result.decodeMillisInFull()));
        out.println(Text.format(
                "the network's input differs by %.2f grey levels of 255 in the mean; the same class for %.1f %% of %d photographs",
                result.inputDifference(), 100 * result.topAgreement(), result.images()));
    }

    /**
     * Photographs of many megapixels to predictions of a ResNet-50: reduced while they are decoded, compared with every pixel
     * decoded by the JDK's reader and resized.
     *
     * @param batch images at once
     * @param rounds measured rounds, alternating
     * @param precision of the backbone
     */
    record PhotoBenchmark(int batch, int rounds, Precision precision) {

        private static final String REDUCED = "reduced";
        private static final String FULL = "full";
        private static final Seed NO_SEED = new Seed(0);

        /**
         * Result of the benchmark.
         *
         * @param precision of the backbone
         * @param images in a round
         * @param imagesPerSecond by the median
         * @param speedupOverFull over decoding and resizing every pixel
         * @param decodeShare of the cores' time that goes into decoding, resizing and normalising
         * @param inputDifference of the network's input to that of full decoding: mean absolute difference, in grey levels of 255
         * @param topAgreement share of the photographs whose most probable class is the same with full decoding
         * @param decodeMillis of one core's time for one image, resizing and normalising included
         * @param decodeMillisInFull the same for every pixel
         * @param reduced milliseconds of a round
         * @param full milliseconds of a round of the baseline
         */
        public record Result(
                String precision,
                int images,
                double imagesPerSecond,
                double speedupOverFull,
                double decodeShare,
                double inputDifference,
                double topAgreement,
                double decodeMillis,
                double decodeMillisInFull,
                Timing reduced,
                Timing full) {}

        /** Writes a ResNet-50 with made-up weights, for which only time and input have a meaning. */
        public static void writeModel(Path model) throws IOException {
            new SyntheticModel(Architecture.RESNET50, List.of("a", "b", "c"), new Seed(1)).write(model);
        }

        /** Measures with these JPEGs, in colour, and this model. */
        public Result run(List<Path> files, Path model) throws IOException {
            if (files.isEmpty()) {
                throw new IllegalArgumentException("the benchmark needs at least one image file");
            }
            try (BatchPredictor predictor = BatchPredictor.load(model, precision)) {
                Preprocessing views = predictor.description().preprocessing().get(0);
                ImageSource reduced = ImageSource.ofFiles(files, new ImageDecoder(ImageLimits.DEFAULT));
                ImageSource full = new JdkJpeg(files, shortSide(views));
                LoaderSettings settings = LoaderSettings.defaults(batch);
                List<String> classes = new ArrayList<>();
                List<String> classesInFull = new ArrayList<>();
                Map<String, Timing> timings = new Rounds()
                        .with(REDUCED, () -> predictor.predict(reduced, settings, one -> classes.add(one.label())))
                        .with(FULL, () -> predictor.predict(full, settings, one -> classesInFull.add(one.label())))
                        .run(1, rounds);
                double millis = prepareMillis(reduced, views);
                double ours = requireNonNull(timings.get(REDUCED)).median();
                int cores = Runtime.getRuntime().availableProcessors();
                return new Result(
                        precision.name(),
                        files.size(),
                        1e3 * files.size() / ours,
                        requireNonNull(timings.get(FULL)).median() / ours,
                        millis * files.size() / (ours * cores),
                        difference(reduced, full, views),
                        agreement(classes, classesInFull),
                        millis,
                        prepareMillis(full, views),
                        requireNonNull(timings.get(REDUCED)),
                        requireNonNull(timings.get(FULL)));
            }
        }

        static int shortSide(Preprocessing views) {
            if (views.resize() instanceof Resize.ShortSide resize) {
                return resize.length();
            }
            throw new IllegalArgumentException(
                    "the model takes images as they are (" + views.resize().key()
                            + ") and does not resize them first, which is what is measured; use one with views.margin of 1 or more");
        }

        private static double agreement(List<String> some, List<String> others) {
            return IntStream.range(0, some.size())
                            .filter(i -> some.get(i).equals(others.get(i)))
                            .count()
                    / (double) some.size();
        }

        /** The median for one image in the CPU time of this thread, so that other work of the cores does not count. */
        private static double prepareMillis(ImageSource source, Preprocessing views) {
            return Rounds.median(IntStream.range(0, source.count())
                    .mapToDouble(i ->
                            coreMillisOf(() -> views.valuesOf(image(source, i, views), ChannelOrder.LAST, NO_SEED)))
                    .toArray());
        }

        private static double coreMillisOf(Runnable work) {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadCpuTime();
            work.run();
            return (threads.getCurrentThreadCpuTime() - before) / 1e6;
        }

        private static double difference(ImageSource one, ImageSource other, Preprocessing views) {
            long sum = 0;
            long samples = 0;
            for (int i = 0; i < one.count(); i++) {
                byte[] ours = view(one, i, views);
                byte[] theirs = view(other, i, views);
                for (int s = 0; s < ours.length; s++) {
                    sum += Math.abs((ours[s] & 0xFF) - (theirs[s] & 0xFF));
                }
                samples += ours.length;
            }
            return (double) sum / samples;
        }

        private static byte[] view(ImageSource source, int index, Preprocessing views) {
            return views.viewsOf(image(source, index, views), NO_SEED).get(0).pixels();
        }

        private static RgbImage image(ImageSource source, int index, Preprocessing views) {
            return ((Decoded.Picture) source.load(index, views::reduction)).image();
        }

        /**
         * The baseline of photographs: every pixel decoded by the JDK's reader, then all of the image resized. Images come out in the
         * size that a preprocessing resizes to, so that it only cuts.
         *
         * @param files JPEGs in colour
         * @param shortSide that they are resized to
         */
        private record JdkJpeg(List<Path> files, int shortSide) implements ImageSource {

            @Override
            public int count() {
                return files.size();
            }

            @Override
            public Decoded load(int index, Reduction reduction) {
                try {
                    RgbImage image = decode(Files.readAllBytes(files.get(index)));
                    Resize resize = new Resize.ShortSide(shortSide);
                    int width = resize.widthOf(image.width(), image.height());
                    int height = resize.heightOf(image.width(), image.height());
                    return new Decoded.Picture(
                            new Resampler(Interpolation.BILINEAR).resize(image, width, height), ImageFormat.JPEG);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            private static RgbImage decode(byte[] file) throws IOException {
                ImageReader reader = ImageIO.getImageReadersByFormatName("jpeg").next();
                try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
                    reader.setInput(in, true, true);
                    Raster raster = reader.readRaster(0, null);
                    return rgb(
                            ((DataBufferByte) raster.getDataBuffer()).getData(), raster.getWidth(), raster.getHeight());
                } finally {
                    reader.dispose();
                }
            }

            /** From YCbCr, in the fixed-point arithmetic of libjpeg. */
            private static RgbImage rgb(byte[] samples, int width, int height) {
                byte[] rgb = new byte[samples.length];
                for (int i = 0; i < samples.length; i += 3) {
                    int y = samples[i] & 0xFF;
                    int blue = (samples[i + 1] & 0xFF) - 128;
                    int red = (samples[i + 2] & 0xFF) - 128;
                    rgb[i] = clamp(y + ((91_881 * red + 32_768) >> 16));
                    rgb[i + 1] = clamp(y + ((-46_802 * red - 22_554 * blue + 32_768) >> 16));
                    rgb[i + 2] = clamp(y + ((116_130 * blue + 32_768) >> 16));
                }
                return new RgbImage(width, height, rgb);
            }

            private static byte clamp(int value) {
                return (byte) Math.max(0, Math.min(255, value));
            }
        }
    }
}
