package io.github.gramian.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Python programs of the tests. A test that calls one declares the modules with {@link Needs}. */
public final class PythonProgram {

    /** Debian's Python first, since its PyTorch is a package. */
    private static final List<String> PYTHONS = List.of("/usr/bin/python3", "python3");

    private PythonProgram() {}

    /** The first Python that can import the modules of all these tools. */
    public static Optional<String> find(List<Tool> tools) {
        String modules = tools.stream().map(Tool::modules).collect(Collectors.joining(", "));
        return PYTHONS.stream().filter(python -> imports(python, modules)).findFirst();
    }

    /** Runs a program, whose path is relative to the module, with torchvision and these arguments. */
    public static void run(Path program, Object... arguments) throws IOException {
        run(List.of(Tool.TORCHVISION), program, arguments);
    }

    /** Runs a program, whose path is relative to the module, with these tools and arguments. */
    public static void run(List<Tool> tools, Path program, Object... arguments) throws IOException {
        Path log = Files.createTempFile("gramian-python", ".log");
        try {
            List<String> command = new ArrayList<>(List.of(find(tools).orElseThrow(), program.toString()));
            Arrays.stream(arguments).map(Object::toString).forEach(command::add);
            assertThat(exitCode(log, command)).as(Files.readString(log)).isZero();
        } finally {
            Files.delete(log);
        }
    }

    private static boolean imports(String python, String modules) {
        try {
            Path log = Files.createTempFile("gramian-python", ".log");
            try {
                return exitCode(log, List.of(python, "-c", "import " + modules)) == 0;
            } finally {
                Files.delete(log);
            }
        } catch (IOException e) {
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
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            return -1;
        }
    }
}
