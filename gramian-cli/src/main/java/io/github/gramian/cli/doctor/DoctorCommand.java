package io.github.gramian.cli.doctor;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.check.internal.HealthCheck;
import io.github.gramian.cli.common.InstalledEngine;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.InferenceProvider;
import io.github.gramian.tensor.internal.Engine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gramian doctor}: checks the installation and reports what to do if a check fails. */
@Command(
        name = "doctor",
        description = {
            "Checks this installation.",
            "Tests the engine, the CPU, the speed, and that gradients and manifolds are computed correctly.",
            "Exits with 0 only when healthy."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian doctor", "  gramian doctor --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DoctorCommand extends PrintingCommand {

    /** Images at once, as {@code gramian predict} and {@code gramian train} take them. */
    private static final int BATCH = 16;

    /** The result that is printed as JSON. */
    private record Findings(@JsonUnwrapped HealthCheck.Report report, Loading loading) {}

    /**
     * How images are loaded next to the engine.
     *
     * @param batch images at once
     * @param workers threads that decode
     * @param prefetch batches ahead
     */
    private record Loading(int batch, int workers, int prefetch) {}

    @Option(names = "--json", description = "Print the findings as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        if (!InstalledEngine.LIBTORCH.present()) {
            return withoutLibTorch();
        }
        LoaderSettings loading = LoaderSettings.defaults(BATCH);
        HealthCheck.Report report = HealthCheck.run();
        print(
                json,
                () -> new Findings(report, new Loading(loading.batchSize(), loading.workers(), loading.prefetch())),
                out -> print(out, report, loading));
        return report.healthy() ? 0 : 1;
    }

    /** All that a distribution for ONNX files can be asked: do its engines start? */
    private int withoutLibTorch() {
        ExportedOnly found = ExportedOnly.run();
        print(json, () -> found, out -> {
            found.engines().forEach(engine -> line(out, "engine", engine));
            line(out, "java", found.java());
            line(out, "advice", ExportedOnly.ADVICE);
            found.problems().forEach(problem -> line(out, "PROBLEM", problem));
            out.println(found.healthy() ? "healthy" : "not healthy: see above");
        });
        return found.healthy() ? 0 : 1;
    }

    /** How products are computed, and the measured rates. */
    private static String products(int threads, HealthCheck.GemmGflops rates) {
        return Text.format(
                "the head multiplies image by image on %d per-sample CPU workers (%.0f GFLOP/s at 512×512); the BLAS gets all threads for large"
                        + " products only (%.0f against %.0f on one)",
                threads, rates.fp32Lanes(), rates.fp32(), rates.fp32OneThread());
    }

    private static String loading(LoaderSettings settings, int threads) {
        return Text.format(
                "%d threads decode %d batches of %d ahead of the engine's %d",
                settings.workers(), settings.prefetch(), settings.batchSize(), threads);
    }

    private static void print(PrintWriter out, HealthCheck.Report report, LoaderSettings loading) {
        Engine.Description engine = report.engine();
        line(out, "engine", "LibTorch " + engine.version() + " with " + engine.blas());
        line(out, "java", report.java() + ", heap up to " + report.heapMegabytes() + " MB");
        line(out, "threads", Integer.toString(engine.threads()));
        line(out, "cpu", engine.cpuCapability() + " in use; offers " + String.join(" ", engine.cpuFeatures()));
        line(out, "devices", String.join(", ", engine.devices()));
        line(out, "natives", engine.nativeCache());
        line(
                out,
                "speed",
                Text.format(
                        "%.0f GFLOP/s in float, %.0f in bfloat16 (matrix product)",
                        report.gemmGflops().fp32(), report.gemmGflops().bf16()));
        if (report.gemmGflops().bf16() < report.gemmGflops().fp32()) {
            line(
                    out,
                    "advice",
                    "this CPU computes bfloat16 slower than float: for models that were trained in bfloat16, predict with --precision float");
        }
        line(out, "products", products(engine.threads(), report.gemmGflops()));
        line(out, "images", loading(loading, engine.threads()));
        line(
                out,
                "gradients",
                Text.format("whole head against central differences: relative error %.1e", report.gradientError()));
        line(out, "manifold", Text.format("orthonormal columns after float steps: off by %.1e", report.stiefelError()));
        report.problems().forEach(problem -> line(out, "PROBLEM", problem));
        out.println(report.healthy() ? "healthy" : "not healthy: see above");
    }

    private static void line(PrintWriter out, String name, String value) {
        out.println(Text.format("%-10s %s", name, value));
    }

    /**
     * The findings of {@code gramian doctor} if LibTorch is not installed.
     *
     * @param healthy whether there is nothing in problems
     * @param engines that run exported models; each was started
     * @param java version and vendor of the JVM
     * @param problems what is wrong and what to do about it
     */
    private record ExportedOnly(boolean healthy, List<String> engines, String java, List<String> problems) {

        static final String ADVICE =
                "LibTorch is not installed: ONNX files are predicted, described, evaluated, served and"
                        + " shown; install the whole distribution to train";

        static ExportedOnly run() {
            List<String> engines = new ArrayList<>();
            List<String> problems = new ArrayList<>();
            for (InferenceProvider provider : InferenceProvider.all()) {
                try {
                    engines.add(provider.engine());
                } catch (LinkageError e) {
                    problems.add("an engine cannot be started (" + e.getMessage()
                            + "); install the distribution for this system again");
                }
            }
            if (engines.isEmpty() && problems.isEmpty()) {
                problems.add(
                        "no engine is installed, neither LibTorch nor ONNX Runtime; install the distribution again");
            }
            return new ExportedOnly(
                    problems.isEmpty(),
                    engines,
                    System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")",
                    problems);
        }
    }
}
