package io.github.gramian.image;

import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs scripts in a Python that has Pillow. A test that calls it declares {@code @Needs(Tool.PILLOW)}. */
final class Pillow {

    private Pillow() {}

    static void run(String script, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("-c", script));
        all.addAll(List.of(arguments));
        int code = start(all);
        if (code != 0) {
            throw new IOException("the script ended with " + code);
        }
    }

    private static int start(List<String> arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(PythonProgram.find(List.of(Tool.PILLOW)).orElseThrow()));
        command.addAll(arguments);
        Path log = Files.createTempFile("pillow", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("Python did not end in two minutes");
            }
            if (process.exitValue() != 0) {
                throw new IOException(Files.readString(log, StandardCharsets.UTF_8));
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            Files.deleteIfExists(log);
        }
    }
}
