package io.github.gramian.bench;

import io.github.gramian.bench.measure.RidgeBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.io.internal.TemporaryFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The classifier in closed form for many images. */
@Command(
        name = "ridge",
        description = {
            "Measures the closed-form classifier on many images.",
            "It uses conjugate gradients over synthetic descriptors on disk. Reports time,",
            "memory, and the difference of its scores from those of the dual on fewer rows."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench ridge",
            "  gramian bench ridge --rows 53880 --dimensions 32896 --classes 47 --compare-rows 10000 --json"
        })
final class BenchRidgeCommand extends PrintingCommand {

    @Option(names = "--rows", description = "Number of descriptors (default: ${DEFAULT-VALUE}).", defaultValue = "4000")
    private int rows;

    @Option(
            names = "--dimensions",
            description = "Number of dimensions of a descriptor (default: ${DEFAULT-VALUE}).",
            defaultValue = "8256")
    private int dimensions;

    @Option(names = "--classes", description = "Number of classes (default: ${DEFAULT-VALUE}).", defaultValue = "47")
    private int classes;

    @Option(
            names = "--compare-rows",
            description = "Number of rows that the dual is fitted to as well; 0 for none (default: ${DEFAULT-VALUE}).",
            defaultValue = "1000")
    private int compareRows;

    @Option(
            names = "--decay",
            description =
                    "Exponent d: eigenvalue k of the covariance is proportional to k^-d (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private double decay;

    @Option(
            names = "--half",
            description = "Also measure how descriptors in half precision would change the exact solution.")
    private boolean half;

    @Option(names = "--folder", description = "Directory for the file of descriptors (default: a temporary directory).")
    private @Nullable Path folder;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        RidgeBenchmark benchmark = new RidgeBenchmark(rows, dimensions, classes, compareRows, decay, half);
        RidgeBenchmark.Result result;
        if (folder == null) {
            try (TemporaryFolder own = TemporaryFolder.create()) {
                result = benchmark.run(own.path(), this::progress);
            }
        } else {
            result = benchmark.run(folder, this::progress);
        }
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, result);
        } else {
            print(out, result);
            out.flush();
        }
        return 0;
    }

    /** A fit of full size takes minutes. */
    private void progress(String line) {
        PrintWriter errors = stderr();
        errors.println(line);
        errors.flush();
    }

    private static void print(PrintWriter out, RidgeBenchmark.Result result) {
        out.println(String.format(
                Locale.ROOT,
                "%,d rows × %,d dimensions, %d classes, %d threads; file %.1f GB, made in %.0f s",
                result.rows(),
                result.dimensions(),
                result.classes(),
                result.threads(),
                result.fileGigabytes(),
                result.writeSeconds()));
        out.println(String.format(
                Locale.ROOT,
                "fitted in %.0f s, %d iterations over %d penalties, peak %s; λ = %.3g, accuracy %.1f %%",
                result.seconds(),
                result.iterations(),
                result.penalties(),
                peak(result.peakResidentBytes()),
                result.relativeLambda(),
                100 * result.accuracy()));
        if (result.compareRows() > 0) {
            printComparison(out, result);
        }
    }

    private static String peak(long bytes) {
        return bytes < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f GiB", bytes / (double) (1 << 30));
    }

    private static void printComparison(PrintWriter out, RidgeBenchmark.Result result) {
        out.println(String.format(
                Locale.ROOT,
                "on %,d rows the dual takes %.0f s; scores differ by %.1e of the largest; from the dual in double by %.1e, and"
                        + " the dual itself by %.1e",
                result.compareRows(),
                result.dualSeconds(),
                result.maxScoreDifference(),
                result.maxScoreError(),
                result.maxDualError()));
        if (!Double.isNaN(result.maxHalfError())) {
            out.println(
                    String.format(Locale.ROOT, "with descriptors in half precision by %.1e", result.maxHalfError()));
        }
    }
}
