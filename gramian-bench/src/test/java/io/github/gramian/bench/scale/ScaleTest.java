package io.github.gramian.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("speed") // once, on one JDK
class ScaleTest {

    private static final HeadSizes BASE = new HeadSizes(16, 8, 20, 2, 3);

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
        HeadSizes changed = BASE.with(axis, 7);
        assertThat(changed).isNotEqualTo(BASE);
        assertThat(changed.with(axis, axisValue(axis, BASE))).isEqualTo(BASE);
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
    void one_value_is_not_a_sweep() {
        assertThatThrownBy(() -> new HeadSweep(Axis.BATCH, BASE, List.of(1), 1)).hasMessageContaining("at least 2");
    }

    @Test
    void images_are_timed_from_file_to_prediction(@TempDir Path folder) throws Exception {
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
                            .forEach(value -> assertThat(sweep.base()
                                            .with(sweep.axis(), value)
                                            .config()
                                            .classes())
                                    .isPositive()));
        }
    }
}
