package io.github.gramian.bench.scale;

import io.github.gramian.check.internal.Rounds.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The page about what work costs: {@code performance.md} and its plots. */
public final class PerformancePage {

    private static final String PLOTS = "performance";

    private final ScalePlan.Result result;
    private final OneCore oneCore;
    private final String command;
    private final boolean trial;
    private final List<String> lines = new ArrayList<>();

    /**
     * A page.
     *
     * @param command that measures all of it again
     * @param trial whether the sizes were too small to mean anything
     */
    public PerformancePage(ScalePlan.Result result, OneCore oneCore, String command, boolean trial) {
        this.result = result;
        this.oneCore = oneCore;
        this.command = command;
        this.trial = trial;
    }

    /** Writes the page and its plots into a directory and returns the file of the page. */
    public Path write(Path folder) throws IOException {
        Files.createDirectories(folder.resolve(PLOTS));
        boolean plotted = plot(folder.resolve(PLOTS));
        Path page = folder.resolve("performance.md");
        Files.write(page, lines(plotted));
        return page;
    }

    /** A JDK without fonts (a headless one on a bare system) cannot draw; the page then has only its tables. */
    private boolean plot(Path folder) throws IOException {
        try {
            ScalePlots.write(result, folder);
            return true;
        } catch (InternalError | NoClassDefFoundError | UnsatisfiedLinkError e) {
            return false;
        }
    }

    List<String> lines(boolean plotted) {
        lines.clear();
        add("# What it costs", "");
        add(
                "`" + command + "` wrote everything on this page. Run it on your machine for your figures."
                        + " The last section is calculated; everything before it was measured on " + machine() + ".",
                "");
        if (trial) {
            add("**This is a trial with tiny sizes: it shows the form of the page, not what anything costs.**", "");
        }
        costs();
        growth(plotted);
        points();
        calculated();
        return List.copyOf(lines);
    }

    private void costs() {
        PathBenchmark.Result path = result.path();
        add("## Predicting and training", "");
        measuredHere();
        lines.addAll(new CostTable(path, oneCore).measured());
        add("");
        add(format(
                "The model is the one that `gramian train` makes by default: ResNet-50 at 224 pixels in %s, and the"
                        + " standard recipe's network after it. Predicting includes reading and decoding JPEG files. The"
                        + " start of Gramian takes additional time. Computing the features for a training once costs as"
                        + " much as predicting.",
                path.precision().name().toLowerCase(Locale.ROOT)));
        if (oneCore instanceof OneCore.Unknown unknown) {
            add("", "One core was not measured: " + unknown.reason() + ".");
        }
        add("", "There are no GPU figures: Gramian has never run on a GPU.", "");
    }

    /** Stands before every table of measured figures. */
    private void measuredHere() {
        add("Measured on " + machine() + ":", "");
    }

    private String machine() {
        return format(
                "%s, %d %s (%s)",
                result.machine(), result.processors(), result.processors() == 1 ? "core" : "cores", result.engine());
    }

    private void growth(boolean plotted) {
        HeadSizes base = result.sweeps().get(0).sweep().base();
        add("## How it grows", "");
        add(
                format(
                        "Cost ∝ size^exponent, fitted on logarithmic axes (± standard error). A step is forward and backward through"
                                + " the head in float, from feature maps to class scores. While one size grows, the others are"
                                + " C = %d, C′ = %d, N = %d, batch %d, %d classes.",
                        base.channels(), base.outputDim(), base.positions(), base.batch(), base.classes()),
                "");
        measuredHere();
        add("| size | from … to | step | at the large end | only forward | memory of a step |");
        add("|---|---|---|---|---|---|");
        for (HeadSweep.Result sweep : result.sweeps()) {
            PowerLaw memory = sweep.memory();
            List<HeadSweep.Point> points = sweep.points();
            add(format(
                    "| %s, %s | %d … %d | %s | %.2f | %s | %s |",
                    sweep.sweep().axis().symbol(),
                    sweep.sweep().axis().meaning(),
                    points.get(0).value(),
                    points.get(points.size() - 1).value(),
                    exponent(sweep.step()),
                    sweep.stepSlopeAtEnd(),
                    exponent(sweep.forward()),
                    memory == null ? "unknown" : exponent(memory)));
        }
        List<PathBenchmark.Point> images = result.path().points();
        add(format(
                "| images, file to prediction | %d … %d | | | %s | %s |",
                images.get(0).images(),
                images.get(images.size() - 1).images(),
                exponent(result.path().growth()),
                megabytes(images.get(0).megabytes())
                        + " … "
                        + megabytes(images.get(images.size() - 1).megabytes())));
        add("");
        if (plotted) {
            add("![Time of a step over each size](" + PLOTS + "/time.png)", "");
            if (result.sweeps().stream().anyMatch(sweep -> sweep.memory() != null)) {
                add("![Memory of a step over each size](" + PLOTS + "/memory.png)", "");
            }
            add("![Time over the number of images](" + PLOTS + "/images.png)", "");
        }
    }

    private void points() {
        add("## What was measured", "");
        add(
                "Medians of alternating rounds in milliseconds, fastest and slowest in brackets. Memory is the highest resident"
                        + " memory of the first step above the level before it.",
                "");
        measuredHere();
        add("| | step | only forward | memory of a step |");
        add("|---|---|---|---|");
        for (HeadSweep.Result sweep : result.sweeps()) {
            for (HeadSweep.Point point : sweep.points()) {
                add(format(
                        "| %s = %d | %s | %s | %s |",
                        sweep.sweep().axis().symbol(),
                        point.value(),
                        timing(point.step()),
                        timing(point.forward()),
                        megabytes(point.stepMegabytes())));
            }
        }
        for (PathBenchmark.Point point : result.path().points()) {
            add(format(
                    "| images = %d | | %s | %s |",
                    point.images(), timing(point.timing()), megabytes(point.megabytes())));
        }
    }

    /** Nothing here was measured, so it stands by itself. */
    private void calculated() {
        add("", "## What was calculated", "");
        add(
                format(
                        "Times for more images follow from the measured images per second; features in float16 take %,d bytes per"
                                + " image. These figures were not measured.",
                        result.path().featureBytes()),
                "");
        lines.addAll(new CostTable(result.path(), oneCore).calculated());
        add(
                "",
                "The number of operations of the head's matrix products is 2(2C²N + 3C²C′ + 2CC′²) per image plus 3C′(C′+1)"
                        + " per class. Over the sizes that were measured, it grows with the exponents below. A time that grows"
                        + " more slowly has fixed costs; a time that grows faster has a problem.",
                "");
        add("| size | operations |");
        add("|---|---|");
        for (HeadSweep.Result sweep : result.sweeps()) {
            add(format(
                    "| %s | %.2f |",
                    sweep.sweep().axis().symbol(), sweep.products().exponent()));
        }
    }

    private static String exponent(PowerLaw law) {
        return Double.isNaN(law.standardError())
                ? format("%.2f", law.exponent())
                : format("%.2f ± %.2f", law.exponent(), law.standardError());
    }

    private static String megabytes(double megabytes) {
        return Double.isNaN(megabytes) ? "unknown" : Quantities.bytes(megabytes * 1e6);
    }

    private static String timing(Timing timing) {
        return format(
                "%s (%s – %s)",
                Quantities.digits(timing.median()),
                Quantities.digits(timing.fastest()),
                Quantities.digits(timing.slowest()));
    }

    private void add(String... more) {
        lines.addAll(List.of(more));
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
