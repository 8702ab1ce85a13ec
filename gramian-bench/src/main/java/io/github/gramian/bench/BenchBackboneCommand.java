package io.github.gramian.bench;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.bench.measure.BackboneBenchmark;
import io.github.gramian.bench.measure.EngineBenchmark;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
final class BenchBackboneCommand implements Callable<Integer> {

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
            measurement.report(results, out -> printEngines(out, results));
            return 0;
        }
        BackboneBenchmark benchmark = new BackboneBenchmark(batch, batches, measurement.rounds(), precision.get());
        BackboneBenchmark.Result result =
                images == null ? onMadeUpImages(benchmark) : benchmark.run(filesBelow(images));
        measurement.report(result, out -> print(out, result));
        return 0;
    }

    private static void print(PrintWriter out, BackboneBenchmark.Result result) {
        result.imagesPerSecond()
                .forEach((name, rate) -> out.println(String.format(Locale.ROOT, "%-14s %7.1f images/s", name, rate)));
        out.println(String.format(
                Locale.ROOT,
                "the bare loop in %s is %.1f × contiguous float; ours is %.2f of the bare loop, from files %.2f",
                result.precision().toLowerCase(Locale.ROOT),
                result.bf16Speedup(),
                result.ratioToBare(),
                result.ratioFromFiles()));
    }

    private static void printEngines(PrintWriter out, List<EngineBenchmark.Result> results) {
        for (EngineBenchmark.Result result : results) {
            out.println(String.format(
                    Locale.ROOT,
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
}
