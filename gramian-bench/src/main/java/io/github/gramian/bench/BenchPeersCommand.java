package io.github.gramian.bench;

import io.github.gramian.bench.peer.PeerBenchmark;
import io.github.gramian.bench.peer.PeerBenchmark.PeerResult;
import io.github.gramian.bench.peer.Python;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The head against heads in Python. */
@Command(
        name = "peers",
        description = {
            "Measures the head compared with heads in Python.",
            "Forward and backward of our head and, in PyTorch, the same head with autograd, B-CNN,",
            "and the matrix square root of the covariance by Newton-Schulz (iSQRT-COV) and by eigh. All take the same",
            "features and threads, in alternating rounds. Without Python and PyTorch, only ours is measured."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench peers", "  gramian bench peers --output 64 --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchPeersCommand implements Callable<Integer> {

    @Mixin
    private MeasuredHead head;

    @Option(names = "--python", description = "Python to use (default: the first that has PyTorch).")
    private @Nullable String python;

    @Option(
            names = "--own-blas",
            description = "Let peers use the BLAS of their system, which may be slow, instead of ours.")
    private boolean ownBlas;

    @Mixin
    private Measurement measurement;

    @Override
    public Integer call() throws IOException {
        PeerBenchmark.Result result = new PeerBenchmark(
                        head.channels(), head.output(), head.positions(), head.batch(), measurement.rounds(), ownBlas)
                .run(Python.find(python == null ? Python.DEFAULTS : List.of(python)));
        measurement.report(result, out -> print(out, result));
        return 0;
    }

    private void print(PrintWriter out, PeerBenchmark.Result result) {
        out.println(head.heading(result.blas(), result.threads(), measurement.rounds()));
        out.println(format("%-26s %10s  %-21s %-12s %s", "", "ms", "(spread)", "dimensions", "ours takes"));
        out.println(row(
                        "ours",
                        result.ours().median(),
                        result.ours().fastest(),
                        result.ours().slowest())
                + format(" %-12d", result.descriptorLength()).stripTrailing());
        for (PeerResult peer : result.peers()) {
            out.println(row(
                            peer.title(),
                            peer.timing().median(),
                            peer.timing().fastest(),
                            peer.timing().slowest())
                    + format(
                            " %-12d %.2f × its time; BLAS threads: %d",
                            peer.descriptorLength(), peer.oursOverPeer(), peer.blasThreads()));
        }
        if (result.skipped() == null) {
            PeerResult first = result.peers().get(0);
            out.println(format("peers: PyTorch %s, %s", first.torch(), first.blas()));
        } else {
            out.println("peers skipped: " + result.skipped());
        }
    }

    private static String row(String name, double median, double fastest, double slowest) {
        return format("%-26s %10.1f  %-21s", name, median, format("(%.1f – %.1f)", fastest, slowest));
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
