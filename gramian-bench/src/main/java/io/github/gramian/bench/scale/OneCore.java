package io.github.gramian.bench.scale;

import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What one core does, measured by a second process that has only one: thread pools of the engine and its BLAS take their
 * size at start, so that this process cannot become one.
 */
public sealed interface OneCore {

    /**
     * It was measured.
     *
     * @param path images from file to prediction on one core
     */
    record Measured(PathBenchmark.Result path) implements OneCore {}

    /**
     * It was not.
     *
     * @param reason what went wrong
     */
    record Unknown(String reason) implements OneCore {}

    /** Runs Gramian again on one core with these arguments, which make it print a result as JSON. */
    static OneCore measure(String mainClass, List<String> arguments, int patienceMinutes) throws IOException {
        Path answer = Files.createTempFile("gramian-one-core", ".json");
        try {
            ProcessBuilder builder = new ProcessBuilder(command(mainClass, arguments))
                    .redirectOutput(answer.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            for (String pool : List.of("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")) {
                builder.environment().put(pool, "1");
            }
            Process process = builder.start();
            try {
                if (!process.waitFor(patienceMinutes, TimeUnit.MINUTES)) {
                    return new Unknown("the process with one core took more than " + patienceMinutes + " minutes");
                }
            } finally {
                process.destroyForcibly(); // also when this thread is interrupted; nothing if it has ended
            }
            if (process.exitValue() != 0) {
                return new Unknown("the process with one core ended with code " + process.exitValue());
            }
            return new Measured(Json.value(Files.readAllBytes(answer), PathBenchmark.Result.class));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Unknown("interrupted");
        } finally {
            Files.deleteIfExists(answer);
        }
    }

    private static List<String> command(String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/taskset"))) {
            command.addAll(List.of("/usr/bin/taskset", "-c", firstProcessor()));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // An agent watches one process only. All other options of this JVM apply to the new process as well.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-javaagent") && !argument.startsWith("-agent"))
                .forEach(command::add);
        command.addAll(List.of("-XX:ActiveProcessorCount=1", "-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        return command;
    }

    /** The first processor that this process may use: of "Cpus_allowed_list: 2-5,8", 2. */
    private static String firstProcessor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> line.replaceFirst("\\D+(\\d+).*", "$1"))
                    .findFirst()
                    .orElse("0");
        } catch (IOException e) {
            return "0";
        }
    }
}
