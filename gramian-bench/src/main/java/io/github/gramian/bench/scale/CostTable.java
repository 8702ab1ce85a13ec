package io.github.gramian.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * What work costs, as Markdown tables: one of measured figures, and one of figures that are calculated from them. Only machines
 * that this run measured have a column.
 */
final class CostTable {

    private static final double[] IMAGES = {1e4, 1e6, 1e9};
    private static final String[] IN_WORDS = {"10⁴", "10⁶", "10⁹"};

    private final PathBenchmark.Result here;
    private final OneCore oneCore;

    CostTable(PathBenchmark.Result here, OneCore oneCore) {
        this.here = here;
        this.oneCore = oneCore;
    }

    /** The figures that were measured. */
    List<String> measured() {
        return List.of(
                "| what | 1 core | " + threads() + " |",
                "|---|---|---|",
                row(
                        "predict a single image, everything loaded",
                        onCore(path -> Quantities.seconds(path.oneImageMillis() / 1e3)),
                        Quantities.seconds(here.oneImageMillis() / 1e3)),
                row(
                        "predict from JPEG files, images per second",
                        onCore(path -> Quantities.digits(path.imagesPerSecond())),
                        Quantities.digits(here.imagesPerSecond())),
                row(
                        "train on features in memory, images per second",
                        onCore(path -> Quantities.digits(path.trainedPerSecond())),
                        Quantities.digits(here.trainedPerSecond())));
    }

    /** What follows from them for more images. */
    List<String> calculated() {
        List<String> lines = new ArrayList<>();
        lines.add("| images | predict, 1 core | predict, " + threads() + " | one pass of training, 1 core | one pass, "
                + threads() + " | cached features |");
        lines.add("|---|---|---|---|---|---|");
        for (int i = 0; i < IMAGES.length; i++) {
            double n = IMAGES[i];
            lines.add(row(
                    IN_WORDS[i],
                    onCore(path -> time(n, path, PathBenchmark.Result::imagesPerSecond)),
                    time(n, here, PathBenchmark.Result::imagesPerSecond),
                    onCore(path -> time(n, path, PathBenchmark.Result::trainedPerSecond)),
                    time(n, here, PathBenchmark.Result::trainedPerSecond),
                    Quantities.bytes(n * here.featureBytes())));
        }
        return lines;
    }

    private static String time(
            double images, PathBenchmark.Result path, ToDoubleFunction<PathBenchmark.Result> perSecond) {
        return Quantities.seconds(images / perSecond.applyAsDouble(path));
    }

    private String threads() {
        return here.threads() == 1 ? "1 thread" : here.threads() + " threads";
    }

    private String onCore(Function<PathBenchmark.Result, String> cell) {
        return oneCore instanceof OneCore.Measured measured ? cell.apply(measured.path()) : "not measured";
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }
}
