package io.github.gramian.cli;

import io.github.gramian.check.OwnJvm;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The command line in its own process, as users have it: what the operating system does to its streams is real.
 *
 * @param folder to run in; standard error is stored there
 * @param jvm options of the JVM
 * @param environment settings on top of this process's
 */
record OwnProcess(Path folder, List<String> jvm, Map<String, String> environment) {

    private static final long MAX_SECONDS = 120;

    OwnProcess(Path folder) {
        this(folder, List.of(), Map.of());
    }

    /** How a process ended, and its output. */
    record End(int code, String out, String err) {}

    /** Runs it to its end with standard output to a file. */
    End to(Path out, Object... words) throws IOException, InterruptedException {
        Process process = start(Redirect.to(out.toFile()), words);
        process.getOutputStream().close();
        return end(process, Files.isRegularFile(out) ? out : folder.resolve("none"));
    }

    /** Runs it to its end. */
    End run(Object... words) throws IOException, InterruptedException {
        return to(Files.createTempFile(folder, "out", ""), words);
    }

    /** Starts it with pipes for standard input and output. */
    Process start(Object... words) throws IOException {
        return start(Redirect.PIPE, words);
    }

    private Process start(Redirect out, Object... words) throws IOException {
        ProcessBuilder builder = OwnJvm.of(jvm, Gramian.class, words)
                .directory(folder.toFile())
                .redirectOutput(out)
                .redirectError(folder.resolve("err").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Waits for the end of one that was started. */
    End end(Process process) throws IOException, InterruptedException {
        return end(process, folder.resolve("none"));
    }

    private End end(Process process, Path out) throws IOException, InterruptedException {
        try {
            if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("still running after " + MAX_SECONDS + " s");
            }
        } finally {
            process.destroyForcibly();
        }
        return new End(
                process.exitValue(),
                Files.exists(out) ? Files.readString(out) : "",
                Files.readString(folder.resolve("err")));
    }
}
