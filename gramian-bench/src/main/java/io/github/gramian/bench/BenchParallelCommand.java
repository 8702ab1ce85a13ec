package io.github.gramian.bench;

import io.github.gramian.bench.measure.ParallelBenchmark;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.LocalProcesses;
import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.io.internal.TemporaryFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Training by several processes compared with one. */
@Command(
        name = "parallel",
        description = {
            "Measures how training scales over processes.",
            "Stage 1 with the default recipe on synthetic features of ResNet-50, by one process and by several of",
            "this machine that divide every batch into shards, in turn."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench parallel",
            "  gramian bench parallel --processes 4 --threads 2 --rounds 7 --json"
        })
final class BenchParallelCommand extends PrintingCommand {

    @Option(
            names = "--processes",
            description = "Number of processes that train together (default: ${DEFAULT-VALUE}).",
            defaultValue = "2")
    private int processes;

    @Option(
            names = "--threads",
            description = "Number of threads of each process (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int threads;

    @Option(
            names = "--batch",
            description = "Number of images per step of all processes together (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int batch;

    @Option(
            names = "--batches",
            description = "Number of batches per round (default: ${DEFAULT-VALUE}).",
            defaultValue = "8")
    private int batches;

    @Mixin
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Measurement measurement;

    @Option(names = "--rank", hidden = true, description = "Set by the command itself for the processes it starts.")
    private @Nullable Integer rank;

    @Option(names = "--world-size", hidden = true, description = "As --rank.")
    private int worldSize;

    @Option(names = "--store", hidden = true, description = "As --rank.")
    private String store = "";

    @Option(names = "--folder", hidden = true, description = "As --rank: images, features, checkpoints.")
    private Path folder = Path.of("");

    @Override
    public Integer call() throws IOException {
        ParallelBenchmark benchmark = new ParallelBenchmark(batch, batches, measurement.rounds());
        if (rank != null) {
            benchmark
                    .run(DistributedConfig.at(store, rank, worldSize), images(), folder)
                    .ifPresent(result -> measurement.report(result, out -> print(out, result)));
            return 0;
        }
        if (processes < 2 || processes > batch || threads < 1) {
            throw new IllegalArgumentException("2 to " + batch + " processes can share batches of " + batch
                    + " images, with at least 1 thread each, but --processes is " + processes + " and --threads "
                    + threads);
        }
        try (SyntheticImages madeUp = SyntheticImages.write(batch * batches);
                TemporaryFolder shared = TemporaryFolder.create()) {
            Files.write(
                    shared.path().resolve("images.txt"),
                    madeUp.files().stream().map(Path::toString).toList());
            return new LocalProcesses(
                            processes,
                            0,
                            words(shared.path()),
                            Map.of("OMP_NUM_THREADS", Integer.toString(threads)),
                            stdout(),
                            stderr())
                    .run();
        }
    }

    private List<String> words(Path shared) {
        List<String> words = new ArrayList<>(List.of("bench", "parallel", "--folder", shared.toString()));
        words.addAll(List.of("--batch", Integer.toString(batch), "--batches", Integer.toString(batches)));
        words.addAll(List.of("--rounds", Integer.toString(measurement.rounds())));
        if (measurement.json()) {
            words.add("--json");
        }
        return words;
    }

    private List<Path> images() throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve("images.txt"))) {
            return lines.map(Path::of).toList();
        }
    }

    private void print(PrintWriter out, ParallelBenchmark.Result result) {
        out.println(String.format(
                Locale.ROOT,
                "stage 1 at the size of ResNet-50's features, batches of %d, %d thread(s) per process, %s; medians of %d rounds",
                result.batch(),
                result.threads(),
                result.blas(),
                measurement.rounds()));
        out.println(String.format(Locale.ROOT, "one process    %7.1f images/s", result.alonePerSecond()));
        out.println(String.format(
                Locale.ROOT, "%d processes    %7.1f images/s", result.processes(), result.togetherPerSecond()));
        out.println(String.format(
                Locale.ROOT,
                "efficiency %.2f, should reach %.2f; %.1f %% of the time spent on waiting for exchanges",
                result.efficiency(),
                result.target(),
                100 * result.waitingShare()));
    }
}
