package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;

class PeakMemoryTest {

    private static final long SIXTY_FOUR_MEGABYTES = 64_000_000;

    @Test
    void peak_memory_sees_a_tensor_that_is_gone_in_the_end() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "only Linux reports it");
        OptionalLong bytes = PeakMemory.of(PeakMemoryTest::fillAndFree);
        assertThat(bytes.orElseThrow()).isBetween(SIXTY_FOUR_MEGABYTES * 9 / 10, SIXTY_FOUR_MEGABYTES * 2);
        assertThat(PeakMemory.of(() -> {}).orElseThrow()).isLessThan(SIXTY_FOUR_MEGABYTES / 2);
    }

    @Test
    void where_the_mark_cannot_be_reset_a_thread_watches() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "only Linux reports it");
        long highest = PeakMemory.sampled(() -> {
            try (Scope scope = Scope.open()) {
                torch.ones(
                        new long[] {SIXTY_FOUR_MEGABYTES / 4},
                        Placement.cpu(Precision.FLOAT).options());
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(highest).isGreaterThan(SIXTY_FOUR_MEGABYTES);
    }

    private static void fillAndFree() {
        try (Scope scope = Scope.open()) {
            torch.ones(
                    new long[] {SIXTY_FOUR_MEGABYTES / 4},
                    Placement.cpu(Precision.FLOAT).options());
        }
    }
}
