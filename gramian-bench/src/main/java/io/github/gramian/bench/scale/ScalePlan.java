package io.github.gramian.bench.scale;

import io.github.gramian.tensor.internal.Cpu;
import io.github.gramian.tensor.internal.Engine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a scale benchmark measures.
 *
 * @param sweeps of the head
 * @param path the whole way of images
 */
public record ScalePlan(List<HeadSweep> sweeps, PathBenchmark path) {

    public ScalePlan {
        sweeps = List.copyOf(sweeps);
    }

    /**
     * What came out.
     *
     * @param machine model of the processor
     * @param engine one line on what computed
     * @param processors that the JVM sees
     * @param sweeps of the head
     * @param path the whole way of images
     */
    public record Result(
            String machine, String engine, int processors, List<HeadSweep.Result> sweeps, PathBenchmark.Result path) {}

    /** Measures everything, reading these image files over and over, and reports what comes next. */
    public Result run(List<Path> files, Consumer<String> progress) {
        List<HeadSweep.Result> done = new ArrayList<>();
        for (HeadSweep sweep : sweeps) {
            progress.accept("the head over " + sweep.axis().symbol() + ", "
                    + sweep.axis().meaning());
            done.add(sweep.run());
        }
        progress.accept("images from their files to answers");
        return new Result(
                Cpu.model(),
                Engine.describe().line(),
                Runtime.getRuntime().availableProcessors(),
                done,
                path.run(files));
    }

    /** Sizes from small to beyond the paper's; some minutes. */
    public static ScalePlan full() {
        HeadSizes base = new HeadSizes(512, 128, 196, 32, 100);
        int rounds = 5;
        return new ScalePlan(
                List.of(
                        new HeadSweep(Axis.CHANNELS, base, List.of(128, 256, 512, 1024, 2048), rounds),
                        new HeadSweep(Axis.OUTPUT, base, List.of(32, 64, 128, 256, 512), rounds),
                        new HeadSweep(Axis.POSITIONS, base, List.of(49, 98, 196, 392, 784, 1568), rounds),
                        new HeadSweep(Axis.BATCH, base, List.of(4, 8, 16, 32, 64, 128), rounds),
                        new HeadSweep(Axis.CLASSES, base, List.of(10, 100, 1000, 10_000), rounds)),
                new PathBenchmark(List.of(16, 32, 64, 128, 256), 16, 5));
    }

    /** The same page from small sizes in some seconds: shows that everything works, not what anything costs. */
    public static ScalePlan quick() {
        HeadSizes base = new HeadSizes(32, 16, 49, 4, 10);
        return new ScalePlan(
                List.of(
                        new HeadSweep(Axis.CHANNELS, base, List.of(16, 32, 64), 2),
                        new HeadSweep(Axis.OUTPUT, base, List.of(8, 16, 32), 2),
                        new HeadSweep(Axis.POSITIONS, base, List.of(16, 49, 196), 2),
                        new HeadSweep(Axis.BATCH, base, List.of(2, 4, 8), 2),
                        new HeadSweep(Axis.CLASSES, base, List.of(10, 100, 1000), 2)),
                new PathBenchmark(List.of(1, 2, 4), 2, 1));
    }
}
