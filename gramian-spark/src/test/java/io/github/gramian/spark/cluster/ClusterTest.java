package io.github.gramian.spark.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.check.FullForm;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.spark.LocalSpark;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.Tables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole job on a real cluster, while executors and then the driver are killed. The short form draws 300 small images for a
 * small model and kills executors; with {@code -Dgramian.test.full=true} it takes 2,000 real ones and larger views, and kills the
 * driver as well (see docs/spark.md).
 */
@Tag("long")
class ClusterTest {

    private static final boolean FULL = FullForm.isOn();
    private static final int IMAGES = FULL ? 2_000 : 300;
    private static final int PER_SHARD = FULL ? 50 : 15;
    private static final int PER_WAVE = FULL ? 8 : 4;
    private static final int PATIENCE_MINUTES = FULL ? 60 : 5;

    /** Executors that end for want of memory, as most clusters set them up, and have too little for the planted image. */
    private static final Map<String, String> SMALL_EXECUTORS =
            Map.of("spark.executor.memory", "512m", "spark.executor.extraJavaOptions", "-XX:+ExitOnOutOfMemoryError");

    @TempDir
    Path folder;

    private final Map<String, float[]> descriptors = new HashMap<>();

    @Test
    void every_image_has_one_row_whichever_process_is_killed() throws Exception {
        Path model = FULL
                ? SmallModels.random(folder.resolve("middle.gramian"), Architecture.RESNET18, 128, 32)
                : SmallModels.random(folder);
        PlantedImages images = images();
        images.pack(folder.resolve("shards"), PER_SHARD);
        try (LoopbackCluster cluster = LoopbackCluster.start(Files.createDirectories(folder.resolve("spark")), 2)) {
            List<String> words = new ArrayList<>(List.of(
                    "describe",
                    folder.resolve("shards").toString(),
                    folder.resolve("first").toString(),
                    "--model",
                    model.toString(),
                    "--descriptors",
                    "fp32",
                    "--batch",
                    "8",
                    "--wave-shards",
                    "" + PER_WAVE));
            executorKilled(cluster, words);
            if (FULL) {
                words.set(2, folder.resolve("second").toString());
                driverKilled(cluster, words);
            }
        }
        describeInOneProcess(model, images);
        check("first", images);
        if (FULL) {
            check("second", images);
        }
    }

    private PlantedImages images() throws IOException {
        Path planted = folder.resolve("images");
        if (!FULL) {
            return PlantedImages.drawn(planted, IMAGES);
        }
        Path data = PlantedImages.textures();
        assumeTrue(Files.isDirectory(data), "no DTD in " + data + "; set -Dgramian.data");
        return PlantedImages.real(planted, IMAGES);
    }

    /** A run during which one executor is killed from outside, and others by the planted image. */
    private void executorKilled(LoopbackCluster cluster, List<String> words) throws Exception {
        Process driver = cluster.submit("first", SMALL_EXECUTORS, words.toArray(String[]::new));
        awaitWorkIn("first", 1, driver);
        List<ProcessHandle> running = cluster.executors();
        assertThat(running).isNotEmpty();
        running.get(0).destroyForcibly();
        assertEndsWell(cluster, driver, "first");
        assertThat(cluster.executorsStarted())
                .as("two, one for the one that was killed, one for each of the three crashes by the crashing image")
                .isGreaterThanOrEqualTo(6);
    }

    /** A run whose driver is killed in the middle, and the same command again. */
    private void driverKilled(LoopbackCluster cluster, List<String> words) throws Exception {
        Process driver = cluster.submit("second", SMALL_EXECUTORS, words.toArray(String[]::new));
        awaitWorkIn("second", 2, driver);
        driver.destroyForcibly().waitFor();
        int committed = commits("second").size();
        assertThat(committed).isGreaterThanOrEqualTo(2);
        Map<String, Long> before = written("second", committed);
        Process again = cluster.submit("second-again", SMALL_EXECUTORS, words.toArray(String[]::new));
        assertEndsWell(cluster, again, "second-again");
        assertThat(cluster.log("second-again")).containsPattern("\\(" + committed + " of them before this start\\)");
        assertThat(written("second", committed))
                .as("complete waves are not touched")
                .isEqualTo(before);
    }

    private static void assertEndsWell(LoopbackCluster cluster, Process driver, String log) throws Exception {
        assertThat(driver.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES))
                .as("%s", cluster.log(log))
                .isTrue();
        assertThat(driver.exitValue()).as("%s", cluster.log(log)).isZero();
        assertThat(cluster.log(log)).contains(IMAGES + " images described, 21 in quarantine");
    }

    /** Returns when some waves are committed and executors are at images of the next. */
    private void awaitWorkIn(String output, int committedWaves, Process driver) throws InterruptedException {
        Path notes = folder.resolve(output).resolve("_attempts");
        LoopbackCluster.await("work in " + output, () -> {
            assertThat(driver.isAlive())
                    .as("the driver, which has %s", commits(output))
                    .isTrue();
            return commits(output).size() >= committedWaves
                    && !filesBelow(notes).isEmpty();
        });
    }

    private List<Path> commits(String output) {
        return filesBelow(folder.resolve(output).resolve("_commits")).stream()
                .filter(file -> file.toString().endsWith(".json")
                        && !file.getFileName().toString().startsWith("."))
                .toList();
    }

    /** Files of the first waves, with the time of their last change. */
    private Map<String, Long> written(String output, int waves) {
        Map<String, Long> times = new HashMap<>();
        for (int wave = 0; wave < waves; wave++) {
            for (Path file :
                    filesBelow(folder.resolve(output).resolve(String.format(Locale.ROOT, "wave=%05d", wave)))) {
                times.put(file.toString(), file.toFile().lastModified());
            }
        }
        return times;
    }

    private static List<Path> filesBelow(Path below) {
        if (!Files.isDirectory(below)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(below)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of();
        }
    }

    private void describeInOneProcess(Path model, PlantedImages images) throws IOException {
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            predictor.describe(
                    images.goodFiles(),
                    LoaderSettings.defaults(16),
                    reading -> descriptors.put(
                            images.folder()
                                    .relativize(Path.of(reading.prediction().image()))
                                    .toString(),
                            reading.descriptor()));
        }
    }

    private void check(String output, PlantedImages images) throws IOException {
        SparkSession spark = LocalSpark.spark();
        Dataset<Row> table = Tables.described(spark, folder.resolve(output).toString());
        assertThat(table.count()).isEqualTo(IMAGES);
        assertThat(table.select("name").distinct().count()).isEqualTo(IMAGES);
        for (java.util.Iterator<Row> rows = table.toLocalIterator(); rows.hasNext(); ) {
            Row row = rows.next();
            float[] expected = Objects.requireNonNull(descriptors.get(row.<String>getAs("name")), row.toString());
            float[] found = DescriptorEncoding.FP32.decode(row.getAs("descriptor"), 1);
            assertThat(found).as(row.<String>getAs("name")).containsExactly(expected, within(1e-6f));
        }
        List<Row> quarantine =
                Tables.quarantine(spark, folder.resolve(output).toString()).collectAsList();
        Map<Boolean, List<Row>> byKiller = quarantine.stream()
                .collect(Collectors.partitioningBy(
                        row -> row.<String>getAs("name").contains(PlantedImages.CRASHING)));
        assertThat(byKiller.get(false))
                .extracting(row -> row.<String>getAs("name"))
                .containsExactlyInAnyOrderElementsOf(images.broken());
        assertThat(byKiller.get(true)).singleElement().satisfies(row -> {
            assertThat(row.<String>getAs("reason")).contains("crashed its executor in each of 2 attempts");
            assertThat(row.<Integer>getAs("attempts")).isEqualTo(2);
        });
    }
}
