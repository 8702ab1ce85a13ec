package io.github.gramian.bench;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.bench.measure.HeadBenchmark;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The head against autograd and against the machine. */
@Command(
        name = "head",
        description = {
            "Measures the head, from feature maps to descriptor.",
            "Forward and backward of the hand-written layers, of the same network",
            "with LibTorch's autograd, and the time that only its matrix products would take."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench head", "  gramian bench head --output 64 --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchHeadCommand implements Callable<Integer> {

    private static final int MEMORY_ROUNDS = 3;

    @Option(
            names = "--channels",
            description = "C, channels of the maps and size of the kernel matrix (default: ${DEFAULT-VALUE}).",
            defaultValue = "512")
    private int channels;

    @Option(
            names = "--output",
            description = "C', number of columns of W (default: ${DEFAULT-VALUE}).",
            defaultValue = "512")
    private int output;

    @Option(
            names = "--positions",
            description = "N, number of positions of a map (default: ${DEFAULT-VALUE}).",
            defaultValue = "196")
    private int positions;

    @Option(
            names = "--batch",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int batch;

    @Option(
            names = "--product",
            description = "Size of the matrix product that gives the limit (default: ${DEFAULT-VALUE}).",
            defaultValue = "4096")
    private int product;

    @Mixin
    private Measurement measurement;

    @Override
    public Integer call() {
        HeadBenchmark benchmark = new HeadBenchmark(channels, output, positions, batch, measurement.rounds(), product);
        HeadBenchmark.Result result = benchmark.run();
        HeadBenchmark.Memory memory = benchmark.memory(MEMORY_ROUNDS);
        measurement.report(new Measured(result, memory), out -> print(out, result, memory));
        return 0;
    }

    private void print(PrintWriter out, HeadBenchmark.Result result, HeadBenchmark.Memory memory) {
        out.println(format(
                "C = %d, C' = %d, N = %d, batch %d, float, %s, %d threads; medians of %d alternating rounds",
                channels, output, positions, batch, result.blas(), result.threads(), measurement.rounds()));
        row(
                out,
                "hand-written",
                result.oursMillis(),
                result.ours().fastest(),
                result.ours().slowest());
        row(
                out,
                "in bfloat16",
                result.bfloat16().median(),
                result.bfloat16().fastest(),
                result.bfloat16().slowest());
        row(
                out,
                "autograd",
                result.autogradMillis(),
                result.autograd().fastest(),
                result.autograd().slowest());
        out.println(
                format("%-14s %8.1f ms   at %.0f GFLOP/s", "products only", result.limitMillis(), result.gemmGflops()));
        out.println(format(
                "%.2f × the time of autograd; %.0f %% of the products' speed; with products in bfloat16 %.2f × autograd's time",
                result.ratioToAutograd(), 100 * result.shareOfLimit(), result.bfloat16Ratio()));
        out.println(format(
                "extra memory of a step: %.0f MB, autograd's %.0f MB: %.2f of it",
                memory.oursMegabytes(), memory.autogradMegabytes(), memory.ratio()));
    }

    /** The result that is printed as JSON. */
    private record Measured(@JsonUnwrapped HeadBenchmark.Result speed, HeadBenchmark.Memory memory) {}

    private static void row(PrintWriter out, String name, double median, double fastest, double slowest) {
        out.println(format("%-14s %8.1f ms   (%.1f – %.1f)", name, median, fastest, slowest));
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
