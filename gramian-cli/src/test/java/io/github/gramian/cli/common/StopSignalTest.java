package io.github.gramian.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Real signals to real processes. */
@DisabledOnOs(OS.WINDOWS) // which has other signals
class StopSignalTest {

    /** How a JVM ends after SIGTERM. */
    private static final int TERMINATED = 143;

    /** Works until it is stopped: asks after every step, asks and then saves for a while, or never asks. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (StopSignal stop = StopSignal.listen()) {
                System.out.println("working");
                while (arguments[0].equals("deaf") || !stop.getAsBoolean()) {
                    Thread.sleep(50);
                }
                Thread.sleep(arguments[0].equals("saving") ? 6000 : 0);
                System.out.println("saved");
            }
        }
    }

    private record End(List<String> said, int code, Duration time) {}

    private static End interrupted(String kind) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        kind))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("working");
            long start = System.nanoTime();
            // Not SIGINT, which children of a shell's background jobs ignore: the JVM treats both alike.
            new ProcessBuilder("kill", "-TERM", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            List<String> said = lines.lines().toList();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            return new End(said, process.exitValue(), Duration.ofNanos(System.nanoTime() - start));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void work_that_polls_ends_at_once_and_has_saved() throws Exception {
        End end = interrupted("asking");
        assertThat(end.said()).containsExactly("saved");
        assertThat(end.code()).isEqualTo(TERMINATED);
        assertThat(end.time()).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void work_that_does_not_poll_is_not_waited_for_longer_than_five_seconds() throws Exception {
        End end = interrupted("deaf");
        assertThat(end.said()).singleElement().asString().contains("gramian: stopped", "continues from there");
        assertThat(end.code()).isEqualTo(StopSignal.EXIT_CODE);
        assertThat(end.time()).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void work_that_has_noticed_is_given_time_to_save() throws Exception {
        End end = interrupted("saving");
        assertThat(end.said()).containsExactly("saved");
        assertThat(end.time()).isGreaterThan(Duration.ofSeconds(6));
    }
}
