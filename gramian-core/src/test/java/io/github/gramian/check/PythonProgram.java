package io.github.gramian.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Python programs of the tests that need torchvision; a test that calls one is skipped where it is not installed. */
public final class PythonProgram {

    private static final List<String> PYTHONS = List.of("/usr/bin/python3", "python3");

    private PythonProgram() {}

    /** Runs a program, whose path is relative to the module, with these words. */
    public static void run(Path program, Object... words) throws IOException {
        String python = PYTHONS.stream()
                .filter(candidate -> installed(candidate))
                .findFirst()
                .orElse("");
        assumeTrue(!python.isEmpty(), "torchvision is not installed");
        Path log = Files.createTempFile("gramian-python", ".log");
        try {
            List<String> command = new ArrayList<>(List.of(python, program.toString()));
            Arrays.stream(words).map(Object::toString).forEach(command::add);
            assertThat(exitCode(log, command)).as(Files.readString(log)).isZero();
        } finally {
            Files.delete(log);
        }
    }

    private static boolean installed(String python) {
        try {
            Path log = Files.createTempFile("gramian-python", ".log");
            try {
                return exitCode(log, List.of(python, "-c", "import torchvision")) == 0;
            } finally {
                Files.delete(log);
            }
        } catch (IOException notThere) {
            return false;
        }
    }

    private static int exitCode(Path log, List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.start();
        try {
            if (!process.waitFor(10, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                return -1;
            }
            return process.exitValue();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            return -1;
        }
    }
}
