package io.github.gramian.cli.train;

import io.github.gramian.distributed.DistributedConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Which processes train: a single one, one of several that the user started, or several that this one starts. */
final class ProcessOptions {

    private static final List<String> OF_THE_STARTER = List.of("--processes", "--restarts");

    @Option(
            names = "--processes",
            paramLabel = "N",
            description =
                    "Number of processes on this machine that train together. If one dies, all continue from the last checkpoint.")
    private @Nullable Integer processes;

    @Option(
            names = "--restarts",
            paramLabel = "N",
            defaultValue = "3",
            description = "With --processes: maximum number of restarts (default: ${DEFAULT-VALUE}).")
    private int restarts;

    @Option(
            names = "--rank",
            paramLabel = "R",
            description = "Train as process R, from 0, of several that you start manually, on any machines.")
    private @Nullable Integer rank;

    @Option(names = "--world-size", paramLabel = "N", description = "With --rank: number of processes.")
    private @Nullable Integer worldSize;

    @Option(
            names = "--store",
            paramLabel = "HOST:PORT",
            description = "With --rank: the machine of rank 0 and a free port of it, where the processes meet."
                    + " For processes of one machine also file:/PATH, a file that does not exist yet.")
    private @Nullable String store;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "1800",
            description =
                    "Seconds after which a machine that does not respond counts as lost (default: ${DEFAULT-VALUE}).")
    private long timeout;

    boolean startsSeveral() {
        if (processes != null && rank != null) {
            throw new IllegalArgumentException("--processes starts all ranks itself; leave out --rank, or --processes");
        }
        if (processes != null && processes < 1) {
            throw new IllegalArgumentException("--processes must be at least 1 but is " + processes);
        }
        if (restarts < 0) {
            throw new IllegalArgumentException("--restarts must be 0 or more but is " + restarts);
        }
        return processes != null && processes > 1;
    }

    DistributedConfig distributed() {
        if (rank == null && worldSize == null && store == null) {
            return DistributedConfig.singleProcess();
        }
        if (rank == null || worldSize == null || store == null) {
            throw new IllegalArgumentException(
                    "--rank, --world-size and --store belong together; for example, on the second"
                            + " of two machines: --rank 1 --world-size 2 --store FIRST-MACHINE:29400");
        }
        return DistributedConfig.at(store, rank, worldSize).waiting(Duration.ofSeconds(timeout));
    }

    /** Runs this very command in several processes, and returns how they ended. */
    int startSeveral(CommandSpec spec) throws IOException {
        List<String> words = spec.root().commandLine().getParseResult().originalArgs();
        return new LocalProcesses(
                        processes == null ? 1 : processes,
                        restarts,
                        withoutOwn(words),
                        Map.of(),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr())
                .run();
    }

    private static List<String> withoutOwn(List<String> words) {
        List<String> others = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (OF_THE_STARTER.contains(word)) {
                i++; // its value
            } else if (OF_THE_STARTER.stream().noneMatch(option -> word.startsWith(option + "="))) {
                others.add(word);
            }
        }
        return others;
    }
}
