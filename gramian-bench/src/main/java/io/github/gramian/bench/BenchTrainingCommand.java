package io.github.gramian.bench;

import io.github.gramian.bench.measure.TrainingBenchmark;
import io.github.gramian.bench.measure.TrainingBenchmark.Comparison;
import io.github.gramian.io.internal.TemporaryFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
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
final class BenchTrainingCommand implements Callable<Integer> {

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
        measurement.report(result, out -> print(out, result));
        return 0;
    }

    private void print(PrintWriter out, TrainingBenchmark.Result result) {
        out.println(String.format(
                Locale.ROOT,
                "images/s, ResNet-50 in %s, %s, %d threads; medians of %d alternating rounds (slowest – fastest)",
                result.precision().toLowerCase(Locale.ROOT),
                result.blas(),
                result.threads(),
                measurement.rounds()));
        row(out, "stage 1 from the cache", "only the network", result.stage1());
        row(out, "stage 2 from files", "bare loop", result.stage2());
        row(out, "predictions from files", "only the backbone", result.predictions());
    }

    private static void row(PrintWriter out, String name, String baseline, Comparison found) {
        out.println(String.format(
                Locale.ROOT,
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

    private static double rate(Comparison found, double millis) {
        return 1e3 * found.images() / millis;
    }
}
