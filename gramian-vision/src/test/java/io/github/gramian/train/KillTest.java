package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.OwnJvm;
import io.github.gramian.fixture.SmallRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL at random moments of a training in a separate process: the weights are those of an uninterrupted training. */
@Tag("slow")
class KillTest {

    private static final int KILLS = FullForm.rounds(8, 1);
    private static final long SEED = 4;

    @TempDir
    Path folder;

    @Test
    void a_training_that_is_killed_repeatedly_ends_with_the_weights_of_an_uninterrupted_one() throws Exception {
        SmallRuns runs = SmallRuns.in(folder);
        long started = System.nanoTime();
        assertThat(child("unbroken").waitFor()).isZero();
        long wholeMillis = (System.nanoTime() - started) / 1_000_000;

        SplittableRandom random = new SplittableRandom(SEED);
        int kills = 0;
        while (kills < KILLS) {
            Process process = child("killed");
            // Most of a child's life is its start: aim at all of it, the training included.
            if (process.waitFor(random.nextLong(wholeMillis / 4, wholeMillis), TimeUnit.MILLISECONDS)) {
                assertThat(process.exitValue()).isZero();
                assertThat(runs.weightsHash("killed")).isEqualTo(runs.weightsHash("unbroken"));
                delete(runs.path("killed")); // it came through between two kills: from the start again
            } else {
                process.destroyForcibly().waitFor();
                kills++;
            }
        }
        assertThat(child("killed").waitFor()).isZero();
        assertThat(runs.weightsHash("killed")).isEqualTo(runs.weightsHash("unbroken"));
        assertThat(runs.events("killed")).isEqualTo(runs.events("unbroken"));
        try (Stream<Path> left = Files.walk(runs.path("killed"))) {
            assertThat(left.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .contains("model.gramian", "scores.json", "recipe.yaml");
        }
    }

    private Process child(String name) throws IOException {
        return OwnJvm.of(List.of("-Xmx512m"), SmallRunMain.class, folder, name)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
    }

    private static void delete(Path run) throws IOException {
        try (Stream<Path> files = Files.walk(run)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
