package io.github.gramian.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One target under Jazzer, in a separate process: an abort of native code ends that process and is a finding like any other.
 * Its folder has the inputs that reached new code, from which the next run starts, the findings, and the log.
 */
final class FuzzProcess {

    /** The fuzzer's own limit is of the clock, and machines pause: ours are of the processor. */
    private static final int HANG_SECONDS = 3600;

    private static final int MAX_INPUT = 16 << 10;
    private static final int NATIVE_MEGABYTES = 3000;
    private static final int MAX_FINDINGS = 20;

    /** Exit code of the fuzzer after a finding, whose input it has written itself. */
    private static final int FOUND = 77;

    /** Ours, and the libraries that do a reader's work. */
    private static final String INSTRUMENTED = String.join(
            ":",
            "io.github.gramian.**",
            "io.jhdf.**",
            "com.twelvemonkeys.**",
            "com.fasterxml.jackson.core.**",
            "com.fasterxml.jackson.dataformat.**",
            "org.yaml.snakeyaml.**");

    private static final Pattern EXECUTIONS = Pattern.compile("stat::number_of_executed_units:\\s+(\\d+)");
    private static final Pattern STATUS = Pattern.compile("#(\\d+)\\s.*?cov: (\\d+)");

    private final FuzzTarget target;
    private final Path folder;
    private final Path findings;
    private final Path lastInput;
    private final Path log;

    /** Result of a run. */
    record Result(long executions, long perSecond, long coverage, List<String> findings) {
        Result {
            findings = List.copyOf(findings);
        }
    }

    FuzzProcess(FuzzTarget target, Path folder) {
        this.target = target;
        this.folder = folder;
        this.findings = folder.resolve("findings");
        this.lastInput = folder.resolve("last-input");
        this.log = folder.resolve("log");
    }

    Result run(Duration time) throws Exception {
        Path corpus = Files.createDirectories(folder.resolve("corpus"));
        Files.createDirectories(findings);
        Path seeds = Files.createDirectories(folder.resolve("seeds"));
        int number = 0;
        for (byte[] seed : target.seeds().make()) {
            Files.write(seeds.resolve("seed" + number++), seed);
        }
        for (byte[] known : KnownInputs.of(target.name())) {
            Files.write(seeds.resolve("known" + number++), known);
        }
        Process process = new ProcessBuilder(command(time, corpus, seeds))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        return result(time, process.exitValue());
    }

    private List<String> command(Duration time, Path corpus, Path seeds) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:-OmitStackTraceInFastThrow",
                "-XX:ErrorFile=" + folder.resolve("abort.log"),
                "-Djdk.attach.allowAttachSelf=true",
                "-Djava.awt.headless=true",
                "-Dorg.bytedeco.javacpp.maxBytes=0",
                "-Dorg.bytedeco.javacpp.maxPhysicalBytes=0",
                "-D" + FuzzEntry.TARGET + "=" + target.name(),
                "-D" + FuzzEntry.LAST_INPUT + "=" + lastInput,
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + FuzzEntry.class.getName(),
                "--instrumentation_includes=" + INSTRUMENTED,
                "--instrumentation_excludes=io.github.gramian.fuzz.**",
                "--keep_going=" + MAX_FINDINGS,
                "--reproducer_path=" + findings));
        command.addAll(List.of(
                "-max_total_time=" + time.toSeconds(),
                "-timeout=" + HANG_SECONDS,
                // By the clock, which a busy machine makes slow; Watch counts time of the processor.
                "-report_slow_units=" + HANG_SECONDS,
                "-rss_limit_mb=" + NATIVE_MEGABYTES,
                "-max_len=" + MAX_INPUT,
                "-print_final_stats=1",
                "-artifact_prefix=" + findings + "/",
                corpus.toString(),
                seeds.toString()));
        return command;
    }

    /** Read from the log and the folder of findings; findings of earlier runs count until they are removed. */
    Result result(Duration time, int exit) throws IOException {
        long executions = 0;
        long coverage = 0;
        for (String line : Files.readAllLines(log, StandardCharsets.ISO_8859_1)) {
            Matcher status = STATUS.matcher(line);
            if (status.find()) {
                executions = Math.max(executions, Long.parseLong(status.group(1)));
                coverage = Math.max(coverage, Long.parseLong(status.group(2)));
            }
            Matcher total = EXECUTIONS.matcher(line);
            if (total.find()) {
                executions = Math.max(executions, Long.parseLong(total.group(1)));
            }
        }
        String abort = "abort-" + exit;
        if (exit != 0 && (exit != FOUND || inputs().isEmpty())) {
            Files.write(findings.resolve(abort), new Watch.LastInput(lastInput).read());
        }
        List<String> found = inputs().stream()
                .map(file -> file + (file.endsWith(abort) ? " (see " + log + ")" : ""))
                .toList();
        return new Result(executions, executions / Math.max(1, time.toSeconds()), coverage, found);
    }

    /** The inputs among the findings, without the programs that replay them. */
    private List<Path> inputs() throws IOException {
        try (Stream<Path> files = Files.list(findings)) {
            return files.filter(file -> !file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }
}
