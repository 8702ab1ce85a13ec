package io.github.gramian.train.stage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.OwnJvm;
import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Separate processes on this machine, 200 steps of a small network. The results are compared with those of one process, in double:
 * over this number of steps with dropout and ReLUs, two orders of adding floats diverge (by 10⁻⁶ in 24 steps).
 */
@Tag("slow")
class SeveralProcessesTest {

    private static final int STEPS = 200;

    /** SIGKILL to these ranks in turn, each in a separate training. */
    private static final List<Integer> KILLED = FullForm.isOn() ? List.of(0, 1, 2) : List.of(1);

    @TempDir
    private Path folder;

    private Path weights(String name, int rank) {
        return folder.resolve(name + "-" + rank + ".safetensors");
    }

    private List<Process> start(String name, int size, Precision precision) throws IOException {
        String store = "127.0.0.1:" + DistributedConfig.freePort();
        List<Process> processes = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            processes.add(OwnJvm.of(
                            List.of("-Xmx256m"),
                            DistributedStageMain.class,
                            folder.resolve(name),
                            weights(name, rank),
                            rank,
                            size,
                            store,
                            precision)
                    .redirectErrorStream(true)
                    .redirectOutput(log(name, rank).toFile())
                    .start());
        }
        return processes;
    }

    private Path log(String name, int rank) {
        return folder.resolve(name + "-" + rank + ".log");
    }

    private void finish(String name, List<Process> processes) throws Exception {
        for (int rank = 0; rank < processes.size(); rank++) {
            assertThat(processes.get(rank).waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(processes.get(rank).exitValue())
                    .as(Files.readString(log(name, rank)))
                    .isZero();
        }
        for (int rank = 1; rank < processes.size(); rank++) {
            assertThat(weights(name, rank)).hasSameBinaryContentAs(weights(name, 0));
        }
    }

    private long steps(String name) throws IOException {
        Path last = new RunFolder(folder.resolve(name)).last(1);
        return Files.exists(last) ? Checkpoint.position(last).step() : 0;
    }

    /** Two, and with -Dgramian.test.full=true four. */
    static IntStream sizes() {
        return IntStream.of(2, 4).limit(FullForm.rounds(2, 1));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void processes_end_bit_identical_and_with_the_weights_of_a_single_process(int size) throws Exception {
        List<Process> processes = start("shared", size, Precision.DOUBLE);
        new DistributedStage(Precision.DOUBLE, List.of())
                .run(
                        DistributedConfig.singleProcess(),
                        folder.resolve("alone"),
                        weights("alone", 0),
                        Duration.ofDays(1));
        finish("shared", processes);
        assertThat(steps("shared")).isEqualTo(STEPS);
        assertThat(DistributedStage.distance(weights("shared", 0), weights("alone", 0)))
                .isLessThan(1e-10);
    }

    @Tag("long")
    @Test
    void a_training_whose_process_was_killed_ends_with_the_weights_of_an_uninterrupted_one() throws Exception {
        finish("unbroken", start("unbroken", 2, Precision.FLOAT));
        for (int victim : KILLED) {
            String name = "killed" + victim;
            int size = Math.max(2, victim + 1);
            if (size != 2) {
                finish("unbroken of " + size, start("unbroken of " + size, size, Precision.FLOAT));
            }
            List<Process> processes = start(name, size, Precision.FLOAT);
            while (steps(name) < STEPS / 4 && processes.stream().allMatch(Process::isAlive)) {
                Thread.sleep(20);
            }
            processes.get(victim).destroyForcibly().waitFor();
            assertThat(steps(name)).isLessThan(STEPS);
            for (int rank = 0; rank < size; rank++) {
                assertThat(processes.get(rank).waitFor(30, TimeUnit.SECONDS))
                        .as("the others notice")
                        .isTrue();
                if (rank != victim) {
                    assertThat(Files.readString(log(name, rank))).contains(ProcessLostException.class.getName());
                }
            }
            finish(name, start(name, size, Precision.FLOAT));
            assertThat(weights(name, 0))
                    .hasSameBinaryContentAs(weights(size == 2 ? "unbroken" : "unbroken of " + size, 0));
        }
    }
}
