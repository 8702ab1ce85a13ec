package io.github.gramian.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * “What does it cost to …” as a Markdown table: work by row, machine by column. Only machines that this run measured have a
 * column.
 */
final class CostTable {

    private static final double[] IMAGES = {1, 1e4, 1e6, 1e9};
    private static final String[] IN_WORDS = {"1 image", "10⁴ images", "10⁶ images", "10⁹ images"};

    private static final String FROM_RATE = "calculated: n / measured images per second";

    private final PathBenchmark.Result here;
    private final OneCore oneCore;

    CostTable(PathBenchmark.Result here, OneCore oneCore) {
        this.here = here;
        this.oneCore = oneCore;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        String threads = here.threads() == 1 ? "1 thread" : here.threads() + " threads";
        lines.add("| what | 1 core | this machine (" + threads + ") | how |");
        lines.add("|---|---|---|---|");
        for (int i = 0; i < IMAGES.length; i++) {
            double n = IMAGES[i];
            lines.add(row(
                    "predict " + IN_WORDS[i],
                    onCore(path -> predicting(path, n)),
                    Quantities.seconds(predicting(here, n)),
                    n == 1 ? "measured: a single image, warm" : FROM_RATE));
        }
        for (int i = 1; i < IMAGES.length; i++) {
            double n = IMAGES[i];
            lines.add(row(
                    "train on cached features, one pass over " + IN_WORDS[i],
                    onCore(path -> n / path.trainedPerSecond()),
                    Quantities.seconds(n / here.trainedPerSecond()),
                    FROM_RATE));
        }
        for (int i = 1; i < IMAGES.length; i++) {
            String size = Quantities.bytes(IMAGES[i] * here.featureBytes());
            lines.add(row("cache the features of " + IN_WORDS[i], size, size, "calculated: n · 2048 · 49 · 2 bytes"));
        }
        return lines;
    }

    private static double predicting(PathBenchmark.Result path, double images) {
        return images == 1 ? path.oneImageMillis() / 1e3 : images / path.imagesPerSecond();
    }

    private String onCore(ToDoubleFunction<PathBenchmark.Result> seconds) {
        return oneCore instanceof OneCore.Measured measured
                ? Quantities.seconds(seconds.applyAsDouble(measured.path()))
                : "not measured";
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }
}
