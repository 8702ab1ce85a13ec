package io.github.gramian.cli.train;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.cli.common.ParentWatch;
import io.github.gramian.cli.common.StopSignal;
import io.github.gramian.distributed.Rendezvous;
import io.github.gramian.io.internal.StandardOutput.LostOutputException;
import io.github.gramian.io.internal.TemporaryFolder;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ExitCode;

/**
 * A command run by several processes of this machine as one process group. When one of them dies, the others end as well,
 * and all are started again: they continue from the last checkpoint. They meet in a file and communicate through loopback,
 * so that no other machine can reach them, and end when this process does.
 *
 * @param count processes
 * @param restarts how often at most all are started again
 * @param words of the command; each process gets its rank on top
 * @param settings of the environment of every process, on top of this one's
 * @param out for the output of the first process
 * @param err for the messages of this one
 */
public record LocalProcesses(
        int count, int restarts, List<String> words, Map<String, String> settings, PrintWriter out, PrintWriter err) {

    /** By name, because the main class depends on this package. */
    private static final String MAIN = "io.github.gramian.cli.Gramian";

    /** Time for the remaining processes to notice a lost one and end by themselves. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private static final Duration GLANCE = Duration.ofMillis(100);

    /** Exit code of a process that was ended by SIGTERM. */
    private static final int TERMINATED = 128 + 15;

    /** Runs to the end, and returns the exit code for all. */
    public int run() throws IOException {
        try (StopSignal stop = StopSignal.listen();
                TemporaryFolder logs = TemporaryFolder.create()) {
            for (int restart = 0; ; restart++) {
                List<Rank> ranks = start(logs.path(), restart);
                await(ranks, stop);
                int code = verdict(ranks);
                if (code != Failure.PEER_LOST || restart == restarts) {
                    explain(ranks, code);
                    return code;
                }
                err.println("gramian: " + ends(ranks) + "; starting all again from the last checkpoint ("
                        + (restart + 1) + " of " + restarts + ")");
                err.flush();
            }
        }
    }

    /**
     * One of the processes, which holds the pipe to its input open; output of all but the first goes to a file, so that an
     * error is not printed N times.
     */
    private record Rank(int number, Process process, Path log, Thread listener) {}

    private List<Rank> start(Path logs, int restart) throws IOException {
        String store = Rendezvous.FILE + logs.resolve("store-" + restart).toAbsolutePath();
        List<Rank> ranks = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Path log = logs.resolve(number + ".log");
            ProcessBuilder builder = new ProcessBuilder(command(number, store));
            builder.environment().putAll(settings);
            shareCores(builder.environment());
            if (number == 0) {
                builder.redirectError(ProcessBuilder.Redirect.INHERIT);
            } else {
                builder.redirectErrorStream(true).redirectOutput(log.toFile());
            }
            Process process = builder.start();
            Thread listener = new Thread(() -> passOn(process), "gramian-rank-" + number);
            listener.setDaemon(true);
            listener.start();
            ranks.add(new Rank(number, process, log, listener));
        }
        return ranks;
    }

    private List<String> command(int number, String store) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-D" + ParentWatch.SETTING + "=true");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path")), MAIN));
        command.addAll(words);
        command.addAll(
                List.of("--rank", Integer.toString(number), "--world-size", Integer.toString(count), "--store", store));
        return command;
    }

    private static String absolute(String classPath) {
        List<String> parts = new ArrayList<>();
        for (String part : classPath.split(File.pathSeparator, -1)) {
            parts.add(new File(part).getAbsolutePath());
        }
        return String.join(File.pathSeparator, parts);
    }

    /** Unless the user has set the number of threads per process. */
    private void shareCores(Map<String, String> environment) {
        int cores = Runtime.getRuntime().availableProcessors();
        environment.putIfAbsent("OMP_NUM_THREADS", Integer.toString(Math.max(1, cores / count)));
        environment.putIfAbsent("OPENBLAS_NUM_THREADS", "1");
    }

    /** Everything but Gloo's messages about connections. */
    private void passOn(Process process) {
        try (BufferedReader lines = process.inputReader(Charset.defaultCharset())) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("[Gloo]")) {
                    print(line);
                }
            }
        } catch (IOException e) {
            // the process was killed; how it ended is asked elsewhere
        }
    }

    private void print(String line) {
        try {
            out.println(line);
            out.flush();
        } catch (LostOutputException e) {
            // This process reports it at its end; the ranks must not be held up by a pipe that nobody empties.
        }
    }

    private void await(List<Rank> ranks, StopSignal stop) {
        long deadline = Long.MAX_VALUE;
        boolean passedOn = false;
        try {
            while (ranks.stream().anyMatch(rank -> rank.process().isAlive())) {
                if (stop.getAsBoolean() && !passedOn) {
                    passedOn = true;
                    ranks.forEach(rank -> rank.process().destroy());
                }
                if (deadline == Long.MAX_VALUE && ranks.stream().anyMatch(LocalProcesses::failed)) {
                    deadline = System.nanoTime() + GRACE.toNanos();
                }
                if (deadline != Long.MAX_VALUE && (isFatal(ranks) || System.nanoTime() > deadline)) {
                    ranks.forEach(rank -> rank.process().destroyForcibly());
                }
                TimeUnit.MILLISECONDS.sleep(GLANCE.toMillis());
            }
            for (Rank rank : ranks) {
                rank.listener().join(GRACE.toMillis());
            }
        } catch (InterruptedException e) {
            ranks.forEach(rank -> rank.process().destroyForcibly());
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while waiting for processes", e));
        }
    }

    private static boolean failed(Rank rank) {
        return !rank.process().isAlive() && rank.process().exitValue() != 0;
    }

    /** Whether a process has failed by itself: starting again would not help. */
    private static boolean isFatal(List<Rank> ranks) {
        return ranks.stream().anyMatch(LocalProcesses::failedOfItself);
    }

    private static boolean failedOfItself(Rank rank) {
        return failed(rank)
                && (rank.process().exitValue() == ExitCode.SOFTWARE
                        || rank.process().exitValue() == ExitCode.USAGE);
    }

    private static int verdict(List<Rank> ranks) {
        List<Integer> codes =
                ranks.stream().map(rank -> rank.process().exitValue()).toList();
        if (codes.stream().allMatch(code -> code == 0)) {
            return 0;
        }
        return ranks.stream()
                .filter(LocalProcesses::failedOfItself)
                .map(rank -> rank.process().exitValue())
                .findFirst()
                .orElse(
                        codes.contains(StopSignal.EXIT_CODE) || codes.contains(TERMINATED)
                                ? StopSignal.EXIT_CODE
                                : Failure.PEER_LOST);
    }

    /** The error of a process that failed by itself, unless the first one has printed it already. */
    private void explain(List<Rank> ranks, int code) throws IOException {
        if (code == Failure.PEER_LOST) {
            err.println("gramian: " + ends(ranks) + "; they were started again " + restarts + " times already");
        } else if (!failedOfItself(ranks.get(0))) {
            for (Rank rank : ranks) {
                if (rank.number() > 0 && failedOfItself(rank)) {
                    Files.readAllLines(rank.log(), Charset.defaultCharset()).stream()
                            .filter(line -> line.startsWith("gramian:"))
                            .forEach(err::println);
                    break;
                }
            }
        }
        err.flush();
    }

    private static String ends(List<Rank> ranks) {
        return ranks.stream()
                .filter(rank -> failed(rank) && rank.process().exitValue() != Failure.PEER_LOST)
                .map(rank -> "process " + rank.number() + " ended with "
                        + rank.process().exitValue())
                .findFirst()
                .orElse("the processes lost each other");
    }
}
