package io.github.gramian.spark.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.spark.job.DescribeJob;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two executors of one thread each compared with one process of two threads, on the same images and the same model. For a machine that
 * does nothing else: {@code mvn -pl gramian-spark -am test -Dgramian.test.excluded=none -Dtest=ThroughputTest -Dgramian.test.throughput=true
 * -Dsurefire.failIfNoSpecifiedTests=false} measures, writes {@code target/throughput.json} and fails below 0.90.
 */
@Tag("speed")
@EnabledIfSystemProperty(named = "gramian.test.throughput", matches = "true")
class ThroughputTest {

    private static final int IMAGES = Integer.getInteger("gramian.test.throughput.images", 1600);
    private static final int WAVES = 4; // the first warms up, the others are measured
    private static final int SHARDS_A_WAVE = 16;
    private static final double MIN = 0.90;

    @TempDir
    Path folder;

    /** Seconds until everything is warm, and images per second from then on. */
    private record Measured(double startSeconds, double imagesPerSecond, double imagesPerSecondWithStart) {}

    @Test
    void two_executors_of_one_thread_are_nearly_as_fast_as_one_process_of_two() throws Exception {
        Path model = SmallModels.random(folder.resolve("large.gramian"), Architecture.RESNET50, 224, 64);
        Path images = folder.resolve("images");
        PlantedImages.fill(images, IMAGES);
        new PlantedImages(images, List.of(), java.util.Set.of())
                .pack(folder.resolve("shards"), IMAGES / (WAVES * SHARDS_A_WAVE));
        // Before and after, since machines grow warm and slow.
        Measured before = oneProcess(model, images);
        Measured cluster = cluster(model);
        Measured after = oneProcess(model, images);
        double ratio = cluster.imagesPerSecond / ((before.imagesPerSecond + after.imagesPerSecond) / 2);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("images", IMAGES);
        report.put("oneProcessTwoThreads", List.of(before, after));
        report.put("twoExecutorsOneThreadEach", cluster);
        report.put("ratioWithoutStart", ratio);
        Files.writeString(
                Path.of("target/throughput.json"),
                new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        assertThat(ratio).as("%s", report).isGreaterThanOrEqualTo(MIN);
    }

    private Measured oneProcess(Path model, Path images) throws IOException, InterruptedException {
        File log = folder.resolve("one-process.log").toFile();
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-Dorg.bytedeco.javacpp.maxBytes=0",
                        "-Dorg.bytedeco.javacpp.maxPhysicalBytes=0",
                        "-cp",
                        String.join(File.pathSeparator, LoopbackCluster.classPath()),
                        OneProcess.class.getName(),
                        model.toString(),
                        images.toString())
                .redirectErrorStream(true)
                .redirectOutput(log);
        builder.environment().put("OMP_NUM_THREADS", "2");
        builder.environment().put("OPENBLAS_NUM_THREADS", "1");
        assertThat(builder.start().waitFor())
                .as("%s", Files.readString(log.toPath()))
                .isZero();
        String[] fields = Files.readAllLines(log.toPath()).stream()
                .filter(line -> line.startsWith("MEASURED "))
                .findFirst()
                .orElseThrow()
                .split(" ", -1);
        double start = Double.parseDouble(fields[1]);
        double seconds = Double.parseDouble(fields[2]);
        return new Measured(start, IMAGES / seconds, IMAGES / (start + seconds));
    }

    private Measured cluster(Path model) throws Exception {
        Path output = folder.resolve("table");
        try (LoopbackCluster cluster = LoopbackCluster.start(Files.createDirectories(folder.resolve("spark")), 2)) {
            long started = System.currentTimeMillis();
            Process driver = cluster.submit(
                    "describe",
                    Map.of(),
                    "describe",
                    folder.resolve("shards").toString(),
                    output.toString(),
                    "--model",
                    model.toString(),
                    "--descriptors",
                    "fp32",
                    "--wave-shards",
                    "" + SHARDS_A_WAVE);
            assertThat(driver.waitFor(60, TimeUnit.MINUTES)).isTrue();
            assertThat(driver.exitValue()).as("%s", cluster.log("describe")).isZero();
            List<DescribeJob.WaveCommit> commits = commits(output);
            DescribeJob.WaveCommit first = commits.get(0);
            DescribeJob.WaveCommit last = commits.get(commits.size() - 1);
            long all = commits.stream()
                    .mapToLong(DescribeJob.WaveCommit::described)
                    .sum();
            assertThat(all).isEqualTo(IMAGES);
            double measured = (last.committedAt() - first.committedAt()) / 1e3;
            return new Measured(
                    (first.committedAt() - started) / 1e3,
                    (all - first.described()) / measured,
                    all / ((last.committedAt() - started) / 1e3));
        }
    }

    private static List<DescribeJob.WaveCommit> commits(Path output) throws IOException {
        List<DescribeJob.WaveCommit> commits = new ArrayList<>();
        try (Stream<Path> files = Files.list(output.resolve("_commits"))) {
            for (Path file : files.filter(name -> name.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                commits.add(new ObjectMapper().readValue(file.toFile(), DescribeJob.WaveCommit.class));
            }
        }
        return commits;
    }
}
