package io.github.gramian.label.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.layout.internal.LabelHistory;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kills a process with SIGKILL while it labels. The long form kills it 50 times. */
class LabelsFileKilledTest {

    private static final int KILLS = Boolean.getBoolean("gramian.test.full") ? 25 : 2;

    @TempDir
    Path folder;

    /** Prints each path when its label is on the disk. */
    static final class Writer {

        private Writer() {}

        @SuppressWarnings("SystemOut") // the pipe to the test
        public static void main(String[] words) throws IOException {
            try (LabelsFile labels = LabelsFile.open(Path.of(words[0]), "test", Clock.systemUTC())) {
                for (int i = 0; ; i++) {
                    String path = words[1] + "/" + i + ".jpg";
                    labels.put(Map.of(path, "class " + i % 5));
                    System.out.println(path);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void no_acknowledged_label_is_lost(long seed) throws Exception {
        Path file = folder.resolve("labels.csv");
        List<String> acknowledged = new ArrayList<>();
        for (int kill = 0; kill < KILLS; kill++) {
            acknowledged.addAll(killed(file, "round" + kill, new SplittableRandom(seed + kill).nextInt(5, 60)));
            LabelHistory history = LabelHistory.read(file);
            assertThat(history.newest().keySet()).containsAll(acknowledged);
            // At most the one that was under way.
            assertThat(history.newest()).hasSizeLessThanOrEqualTo(acknowledged.size() + kill + 1);
        }
        assertThat(Files.size(file)).isPositive();
    }

    private static List<String> killed(Path file, String round, int after) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        file.toString(),
                        round)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> paths = new ArrayList<>();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                paths.add(line);
                if (paths.size() == after) {
                    // Not the process's own method, which closes the pipe with what is still in it.
                    process.toHandle().destroyForcibly();
                }
            }
        } finally {
            process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
        }
        assertThat(paths).hasSizeGreaterThanOrEqualTo(after);
        return paths;
    }
}
