package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.gramian.bench.BenchHeadCommand.HeadBenchmark;
import io.github.gramian.bench.BenchTrainingCommand.TrainingBenchmark;
import io.github.gramian.tensor.Precision;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fails when a ratio of speed or memory is more than 25 % worse than it should be. A short version of {@code gramian bench
 * head} and {@code gramian bench training}, for idle cores: {@code mvn verify -Pfull} runs it, by itself.
 *
 * <p>Only ratios within one run count, never times. A busy machine may still spoil a run, so the median of three counts.
 */
@Tag("speed")
class SpeedGuardTest {

    private static final int RUNS = 3;
    private static final double TOLERATED = 1.25;

    @TempDir
    private Path folder;

    /** The target of a ratio, and the limit from which it is a failure. */
    private record Guard(String name, double goal, double limit, Measurement ratio) {

        /** Ours over the other's time or memory. */
        static Guard atMost(String name, double goal, Measurement ratio) {
            return new Guard(name, goal, goal * TOLERATED, ratio);
        }

        /** Our rate over that of the baseline, inverted so that smaller is better here too. */
        static Guard atLeast(String name, double goal, Measurement ratio) {
            return new Guard(name, 1 / goal, TOLERATED / goal, () -> 1 / ratio.take());
        }
    }

    private interface Measurement {
        double take() throws IOException;
    }

    /** The table of what is guarded. Ratios of small sizes must only be below that of plain autograd. */
    private List<Guard> guards() {
        return List.of(
                Guard.atMost("head 512→512, N = 196, time over autograd's", 0.40, () -> head(512, 196)),
                Guard.atMost("head 512→64, N = 49, time over autograd's", 1.0 / TOLERATED, () -> head(64, 49)),
                Guard.atMost("head 512→64, N = 784, time over autograd's", 1.0 / TOLERATED, () -> head(64, 784)),
                Guard.atMost("head 512→128, N = 49, time over autograd's", 1.0 / TOLERATED, () -> head(128, 49)),
                Guard.atMost("head 512→128, N = 784, time over autograd's", 1.0 / TOLERATED, () -> head(128, 784)),
                Guard.atMost("memory of a step over autograd's", 0.50, SpeedGuardTest::memory),
                Guard.atLeast("stage 1 over the network alone", 0.85, this::stage1),
                Guard.atLeast("predictions over the backbone alone", 0.90, this::predictions));
    }

    @TestFactory
    Stream<DynamicTest> no_ratio_is_a_quarter_worse_than_it_should_be() {
        return guards().stream().map(guard -> DynamicTest.dynamicTest(guard.name(), () -> check(guard)));
    }

    private static void check(Guard guard) throws IOException {
        List<Double> found = new ArrayList<>();
        for (int run = 0; run < RUNS; run++) {
            double ratio = guard.ratio().take();
            assumeFalse(Double.isNaN(ratio), "this system does not report memory");
            found.add(ratio);
        }
        Collections.sort(found);
        assertThat(found.get(RUNS / 2))
                .as("%s: the median of %s (goal %.2f)", guard.name(), found, guard.goal())
                .isLessThanOrEqualTo(guard.limit());
    }

    private static double head(int outputDim, int positions) {
        return new HeadBenchmark(512, outputDim, positions, 8, 3, 64).run().ratioToAutograd();
    }

    private static double memory() {
        return new HeadBenchmark(512, 512, 196, 16, 1, 64).memory(3).ratio();
    }

    private double stage1() throws IOException {
        return new TrainingBenchmark(32, 3, 3, Precision.FLOAT)
                .stage1(photos(96), empty())
                .ratio();
    }

    private double predictions() throws IOException {
        return new TrainingBenchmark(16, 6, 2, Precision.FLOAT)
                .predictions(photos(12), empty())
                .ratio();
    }

    private Path empty() throws IOException {
        return Files.createTempDirectory(folder, "attempt");
    }

    /** Small photos of noise, no two alike. */
    private List<Path> photos(int count) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            BufferedImage image = new BufferedImage(340, 256, BufferedImage.TYPE_INT_RGB);
            Random random = new Random(i);
            for (int block = 0; block < 34 * 25; block++) {
                int colour = random.nextInt(1 << 24);
                for (int pixel = 0; pixel < 100; pixel++) {
                    image.setRGB(block % 34 * 10 + pixel % 10, block / 34 * 10 + pixel / 10, colour);
                }
            }
            Path file = folder.resolve(i + ".jpg");
            ImageIO.write(image, "jpg", file.toFile());
            files.add(file);
        }
        return files;
    }
}
