package io.github.gramian.spark.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.FullForm;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.similar.index.internal.IndexFolder;
import io.github.gramian.similar.index.internal.PhotoSearch;
import io.github.gramian.similar.index.internal.Verification;
import io.github.gramian.spark.LocalSpark;
import io.github.gramian.spark.index.LocalIndex;
import io.github.gramian.spark.job.PlantedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table is indexed on two executors, one of which is killed in the middle, and then searched on both. With {@code
 * -Dgramian.test.full=true} it has 100,000 rows, otherwise 12,000.
 */
@Tag("long")
class IndexOnClusterTest {

    private static final boolean FULL = FullForm.isOn();
    private static final int PARTS = 6;
    private static final int QUERIES = FULL ? 1000 : 200;
    private static final int PATIENCE_MINUTES = FULL ? 60 : 10;

    @TempDir
    Path folder;

    @Test
    void every_image_is_indexed_once_although_an_executor_is_killed() throws Exception {
        Path model = PlantedTable.model(folder.resolve("m.gramian"), "a model");
        PlantedTable table = (FULL
                        ? new PlantedTable(folder.resolve("table"), 10, 4, 2500, 1)
                        : new PlantedTable(folder.resolve("table"), 6, 2, 1000, 1))
                .write(LocalSpark.spark(), Sha256.of("a model"), List.of());
        PlantedTable queries = new PlantedTable(folder.resolve("queries"), 1, 2, 50, 2)
                .write(LocalSpark.spark(), Sha256.of("a model"), List.of());
        Path output = folder.resolve("index");
        Path results = folder.resolve("results");
        try (LoopbackCluster cluster = LoopbackCluster.start(Files.createDirectories(folder.resolve("spark")), 2)) {
            Process driver = cluster.submit(
                    "index",
                    Map.of(),
                    "index",
                    table.folder().toString(),
                    output.toString(),
                    "--model",
                    model.toString(),
                    "--dimensions",
                    "64",
                    "--parts",
                    "" + PARTS);
            LoopbackCluster.await("the first part", () -> {
                assertThat(driver.isAlive()).as("%s", cluster.log("index")).isTrue();
                return !records(output).isEmpty();
            });
            List<ProcessHandle> running = cluster.executors();
            assertThat(running).hasSize(2);
            int before = records(output).size();
            running.get(0).destroyForcibly();
            assertEndsWell(cluster, driver, "index");
            assertThat(before)
                    .as("parts that were complete when the executor was killed")
                    .isLessThan(PARTS);
            assertThat(cluster.executorsStarted()).isGreaterThanOrEqualTo(3);
            Process search = cluster.submit(
                    "similar",
                    Map.of(),
                    "similar",
                    output.toString(),
                    "--queries",
                    queries.folder().toString(),
                    "--out",
                    results.toString(),
                    "--top",
                    "10");
            assertEndsWell(cluster, search, "similar");
        }
        assertThat(LocalIndex.names(output))
                .isEqualTo(IntStream.range(0, table.count())
                        .mapToObj(table::name)
                        .sorted()
                        .toList());
        assertThat(Verification.of(new IndexFolder(output)).problems()).isEmpty();
        LocalIndex.Recalls recalls =
                LocalIndex.of(table, output, folder.resolve("local")).recalls(output, QUERIES);
        System.out.printf(
                Locale.ROOT,
                "%d images in %d parts, recall at 10: parts %.4f, one local index %.4f (%d queries)%n",
                table.count(),
                PARTS,
                recalls.parts(),
                recalls.local(),
                QUERIES);
        assertThat(recalls.parts()).isCloseTo(recalls.local(), within(0.01));
        assertThatTheClusterFindsWhatOneProcessFinds(results, queries, output);
    }

    private void assertThatTheClusterFindsWhatOneProcessFinds(Path results, PlantedTable queries, Path output)
            throws IOException {
        Map<String, Map<Integer, String>> found = new HashMap<>();
        for (Row row : LocalSpark.spark().read().parquet(results.toString()).collectAsList()) {
            found.computeIfAbsent(row.getAs("query"), query -> new HashMap<>())
                    .put(row.getAs("rank"), row.getAs("name"));
        }
        assertThat(found).hasSize(queries.count());
        PhotoSearch.Opened opened = PhotoSearch.Opened.of(output);
        try (PhotoSearch photos = opened.photos()) {
            for (int i = 0; i < queries.count(); i++) {
                float[] vector = opened.settings().reduction().apply(queries.descriptor(i));
                Map<Integer, String> here = new HashMap<>();
                photos.search(vector, 10, null)
                        .forEach(near -> here.put(here.size() + 1, near.photo().path()));
                assertThat(found.get(queries.name(i))).isEqualTo(here);
            }
        }
    }

    private static void assertEndsWell(LoopbackCluster cluster, Process driver, String log) throws Exception {
        assertThat(driver.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES))
                .as("%s", cluster.log(log))
                .isTrue();
        assertThat(driver.exitValue()).as("%s", cluster.log(log)).isZero();
    }

    private static List<Path> records(Path output) {
        Path jobs = output.resolve("_jobs");
        if (!Files.isDirectory(jobs)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(jobs)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9]{5}\\.json"))
                    .toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of();
        }
    }
}
