package io.github.gramian.measure.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import javax.imageio.ImageIO;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScaleTest {

    private static final HeadSizes BASE = new HeadSizes(16, 8, 20, 2, 3);
    private static final long SIXTY_FOUR_MEGABYTES = 64_000_000;

    @ParameterizedTest
    @EnumSource(Axis.class)
    void a_sweep_changes_one_size_and_fits_what_it_measures(Axis axis) {
        HeadSweep.Result result = new HeadSweep(axis, BASE, List.of(8, 12, 16), 1).run();
        assertThat(result.points()).extracting(HeadSweep.Point::value).containsExactly(8, 12, 16);
        assertThat(result.points()).allSatisfy(point -> {
            assertThat(point.step().median()).isPositive();
            assertThat(point.forward().median()).isPositive();
        });
        assertThat(result.step().exponent()).isFinite();
        assertThat(result.stepSlopeAtEnd()).isFinite();
        HeadSizes changed = axis.at(BASE, 7);
        assertThat(changed).isNotEqualTo(BASE);
        assertThat(axis.at(changed, axisValue(axis, BASE))).isEqualTo(BASE);
    }

    private static int axisValue(Axis axis, HeadSizes sizes) {
        return switch (axis) {
            case CHANNELS -> sizes.channels();
            case OUTPUT -> sizes.outputDim();
            case POSITIONS -> sizes.positions();
            case BATCH -> sizes.batch();
            case CLASSES -> sizes.classes();
        };
    }

    @Test
    void one_value_is_no_sweep() {
        assertThatThrownBy(() -> new HeadSweep(Axis.BATCH, BASE, List.of(1), 1)).hasMessageContaining("at least 2");
    }

    @Test
    void peak_memory_sees_a_tensor_that_is_gone_in_the_end() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "only Linux tells");
        OptionalLong bytes = PeakMemory.of(ScaleTest::fillAndFree);
        assertThat(bytes.orElseThrow()).isBetween(SIXTY_FOUR_MEGABYTES * 9 / 10, SIXTY_FOUR_MEGABYTES * 2);
        assertThat(PeakMemory.of(() -> {}).orElseThrow()).isLessThan(SIXTY_FOUR_MEGABYTES / 2);
    }

    @Test
    void where_the_mark_cannot_be_reset_a_thread_watches() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "only Linux tells");
        long highest = PeakMemory.sampled(() -> {
            try (Scope scope = Scope.open()) {
                torch.ones(
                        new long[] {SIXTY_FOUR_MEGABYTES / 4},
                        Placement.cpu(Precision.FLOAT).options());
                Thread.sleep(50);
            } catch (InterruptedException stopped) {
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

    @Test
    void the_whole_way_of_images_is_timed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("grey.jpg");
        ImageIO.write(new BufferedImage(300, 260, BufferedImage.TYPE_BYTE_GRAY), "jpg", file.toFile());
        PathBenchmark.Result result = new PathBenchmark(List.of(1, 2), 1, 1).run(List.of(file));
        assertThat(result.points()).extracting(PathBenchmark.Point::images).containsExactly(1, 2);
        assertThat(result.imagesPerSecond()).isPositive();
        assertThat(result.decodedPerSecond()).isGreaterThan(result.imagesPerSecond());
        assertThat(result.trainedPerSecond()).isPositive();
        assertThat(result.points())
                .allSatisfy(point -> assertThat(point.megabytes()).isNotNegative());
        assertThatThrownBy(() -> new PathBenchmark(List.of(1, 2), 1, 1).run(List.of()))
                .hasMessageContaining("at least one");
        Path broken = Files.writeString(folder.resolve("broken.jpg"), "no image");
        assertThatThrownBy(() -> new PathBenchmark(List.of(1, 2), 1, 1).run(List.of(broken)))
                .isInstanceOf(RuntimeException.class);
    }

    @Test
    void plans_fit_heads_that_exist() {
        for (ScalePlan plan : List.of(ScalePlan.full(), ScalePlan.quick())) {
            assertThat(plan.sweeps()).extracting(HeadSweep::axis).containsExactly(Axis.values());
            plan.sweeps()
                    .forEach(sweep -> sweep.values()
                            .forEach(value -> assertThat(sweep.axis()
                                            .at(sweep.base(), value)
                                            .config()
                                            .classes())
                                    .isPositive()));
        }
    }
}
