package io.github.gramian.bench;

import io.github.gramian.bench.measure.PhotoBenchmark;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.TemporaryFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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
final class BenchPhotosCommand implements Callable<Integer> {

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
            measurement.report(result, out -> print(out, result));
            return 0;
        }
    }

    private static void print(PrintWriter out, PhotoBenchmark.Result result) {
        out.println(String.format(
                Locale.ROOT,
                "%.1f photographs/s, %.2f × as many as with every pixel decoded; decoding takes %.0f %% of the cores' time",
                result.imagesPerSecond(),
                result.speedupOverFull(),
                100 * result.decodeShare()));
        out.println(String.format(
                Locale.ROOT,
                "decoding and resizing one on one core: %.0f ms, every pixel: %.0f ms",
                result.decodeMillis(),
                result.decodeMillisInFull()));
        out.println(String.format(
                Locale.ROOT,
                "the network's input differs by %.2f grey levels of 255 in the mean; the same class for %.1f %% of %d photographs",
                result.inputDifference(),
                100 * result.topAgreement(),
                result.images()));
    }
}
