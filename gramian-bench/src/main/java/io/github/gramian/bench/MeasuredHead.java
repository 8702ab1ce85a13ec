package io.github.gramian.bench;

import java.util.Locale;
import picocli.CommandLine.Option;

/** The sizes of the head that a benchmark measures. */
final class MeasuredHead {

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

    int channels() {
        return channels;
    }

    int output() {
        return output;
    }

    int positions() {
        return positions;
    }

    int batch() {
        return batch;
    }

    /** The line above a table of times. */
    String heading(String blas, int threads, int rounds) {
        return String.format(
                Locale.ROOT,
                "C = %d, C' = %d, N = %d, batch %d, float, %s, %d threads; medians of %d alternating rounds",
                channels,
                output,
                positions,
                batch,
                blas,
                threads,
                rounds);
    }
}
