package io.github.gramian.cli.common;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The start script of a distribution, for running a command in a separate process.
 *
 * @param script bin/gramian
 * @param archive the class archive that the script uses if it exists
 */
public record Launcher(Path script, Path archive) {

    /** The value of the setting GRAMIAN_ARCHIVE that makes the script use none. */
    public static final String NO_ARCHIVE = "none";

    /** The script that started this process: it passes its path and that of its archive. */
    public static Launcher own() {
        String script = System.getProperty("gramian.launcher", "");
        String archive = System.getProperty("gramian.archive", "");
        if (script.isEmpty() || archive.isEmpty() || archive.equals(NO_ARCHIVE)) {
            throw new IllegalArgumentException(
                    "this needs the start script; run bin/gramian of a distribution, with GRAMIAN_ARCHIVE not set");
        }
        return new Launcher(Path.of(script), Path.of(archive));
    }

    /** The file next to the archive in which the script looks for its checksum: the JVM would crash on a damaged one. */
    public Path archiveSum() {
        return archive.resolveSibling(archive.getFileName() + ".cksum");
    }

    /**
     * Runs a command to its end.
     *
     * @param folder working directory of the command
     * @param environment settings in addition to those of this process
     * @return its output, on standard output and standard error
     */
    public String run(Path folder, Map<String, String> environment, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(words);
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException("'gramian " + String.join(" ", words) + "' ended with " + code + ": "
                        + output.strip().replaceAll("\\s*[\\r\\n]+\\s*", "; "));
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for 'gramian " + words.get(0) + "'", e);
        } finally {
            process.destroy();
        }
    }
}
