package io.github.gramian.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.OwnJvm;
import io.github.gramian.tensor.internal.Engine;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Real signals to real processes. */
@DisabledOnOs(OS.WINDOWS) // which has other signals
class StopSignalTest {

    /** How a process ends after SIGKILL: the only way where SIGINT is ignored, as in the background jobs of a shell. */
    private static final int KILLED = 137;

    /** How a JVM ends after SIGTERM. */
    private static final int TERMINATED = 143;

    /** Polls after every step, polls and then saves until standard input ends, never polls, or computes in native code. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            try (StopSignal stop = StopSignal.listen()) {
                if (arguments[0].equals("native")) {
                    descend();
                }
                System.out.println("working");
                while (arguments[0].equals("deaf") || !stop.getAsBoolean()) {
                    Thread.sleep(50);
                }
                if (arguments[0].equals("saving")) {
                    System.in.readAllBytes();
                }
                System.out.println("saved");
            }
        }
    }

    /** Backward passes of seconds, each of them one call of native code. */
    private static void descend() {
        Engine.describe(); // unpacks its own libraries: LibTorch of the system, if there is one, is another version
        for (boolean started = false; ; started = true) {
            try (PointerScope scope = new PointerScope()) {
                Tensor weights = torch.randn(16, 16, 3, 3).set_requires_grad(true);
                Tensor maps = torch.randn(16, 16, 48, 48);
                long[] one = {1, 1};
                for (int layer = 0; layer < 400; layer++) {
                    maps = torch.conv2d(maps, weights, new TensorOptional(), one, one, one, 1);
                }
                if (!started) {
                    System.out.println("working");
                }
                maps.sum().backward();
            }
        }
    }

    private record End(List<String> output, int code, Duration time) {}

    private static End interrupted(String kind) throws IOException, InterruptedException {
        Process process =
                OwnJvm.of(Worker.class, kind).redirectErrorStream(true).start();
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("working");
            long start = System.nanoTime();
            // Not SIGINT, which children of a shell's background jobs ignore: the JVM treats both alike.
            new ProcessBuilder("sh", "-c", "kill -TERM " + process.pid()) // built in; the program is a package
                    .start()
                    .waitFor();
            if (kind.equals("saving")) {
                Duration longer = StopSignal.UNTIL_NOTICED.plusSeconds(1);
                assertThat(process.waitFor(longer.toMillis(), TimeUnit.MILLISECONDS))
                        .as("ended while it was saving")
                        .isFalse();
                process.getOutputStream().close();
            }
            List<String> output = lines.lines().toList();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            return new End(output, process.exitValue(), Duration.ofNanos(System.nanoTime() - start));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void work_that_polls_ends_at_once_and_has_saved() throws Exception {
        End end = interrupted("asking");
        assertThat(end.output()).containsExactly("saved");
        assertThat(end.code()).isEqualTo(TERMINATED);
        assertThat(end.time()).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void work_that_does_not_poll_is_not_waited_for_longer_than_five_seconds() throws Exception {
        End end = interrupted("deaf");
        assertThat(end.output()).singleElement().asString().contains("gramian: stopped", "continues from there");
        assertThat(end.code()).isIn(StopSignal.EXIT_CODE, KILLED);
        assertThat(end.time()).isLessThan(Duration.ofSeconds(8));
    }

    /** exit() would run the destructors of LibTorch while it computes: a crash, or a JVM that never ends. */
    @Tag("slow")
    @Test
    void work_in_native_code_ends_without_a_crash() throws Exception {
        End end = interrupted("native");
        assertThat(end.output()).singleElement().asString().contains("gramian: stopped", "continues from there");
        assertThat(end.code()).isIn(StopSignal.EXIT_CODE, KILLED);
    }

    @Test
    void work_that_has_noticed_is_given_time_to_save() throws Exception {
        End end = interrupted("saving");
        assertThat(end.output()).containsExactly("saved");
    }
}
