package io.github.gramian.spark.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.similar.index.internal.IndexException;
import io.github.gramian.similar.index.internal.IndexFolder;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PhotoSearch;
import io.github.gramian.similar.index.internal.Verification;
import io.github.gramian.spark.LocalSpark;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.JobException;
import io.github.gramian.spark.job.PlantedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Indexes of small tables on a Spark inside this JVM; what dies and comes back is tested on a cluster. */
class IndexJobTest {

    private static final String MODEL = "a model";

    @TempDir
    static Path folder;

    private static PlantedTable table = new PlantedTable(Path.of(""), 1, 1, 1, 0);

    /** Two waves of two files, and five rows that no index can hold. */
    @BeforeAll
    static void writeATable() throws IOException {
        float[] infinite = PlantedTable.query(1);
        infinite[3] = Float.POSITIVE_INFINITY;
        byte[] good = DescriptorEncoding.FP32.encode(PlantedTable.query(2)).bytes();
        List<Row> hostile = List.of(
                PlantedTable.row("missing.png", 1, null),
                PlantedTable.row(
                        "infinite.png",
                        2,
                        DescriptorEncoding.FP32.encode(infinite).bytes()),
                PlantedTable.row("short.png", 3, new byte[12]),
                PlantedTable.row(null, 4, good),
                PlantedTable.row("long".repeat(10_000), 5, good));
        PlantedTable.model(folder.resolve("m.gramian"), MODEL);
        table = new PlantedTable(folder.resolve("table"), 2, 2, 300, 1)
                .write(LocalSpark.spark(), Sha256.of(MODEL), hostile);
    }

    private static IndexJob.Settings settings(PlantedTable of, Path output) {
        return new IndexJob.Settings(
                of.folder().toString(),
                output.toString(),
                folder.resolve("m.gramian").toString(),
                32,
                null,
                3,
                0.5);
    }

    private static IndexJob.Summary index(PlantedTable of, Path output) throws IOException {
        return new IndexJob(LocalSpark.spark(), settings(of, output)).run();
    }

    private static List<String> names(PlantedTable of) {
        return IntStream.range(0, of.count()).mapToObj(of::name).sorted().toList();
    }

    private static List<Path> below(Path start) throws IOException {
        try (Stream<Path> files = Files.walk(start)) {
            return files.toList();
        }
    }

    @Test
    void every_image_is_in_one_part_and_parts_are_searched_as_one_index() throws IOException {
        Path output = folder.resolve("index");
        assertThat(index(table, output)).isEqualTo(new IndexJob.Summary(1200, 5, 3, 0, 1200));
        assertThat(LocalIndex.names(output)).isEqualTo(names(table));
        assertThat(below(output)).noneMatch(file -> file.toString().contains("_jobs"));
        assertThat(Verification.of(new IndexFolder(output)).problems()).isEmpty();
        LocalIndex.Recalls recalls =
                LocalIndex.of(table, output, folder.resolve("local")).recalls(output, 100);
        assertThat(recalls.parts()).isCloseTo(recalls.local(), within(0.01)).isGreaterThan(0.95);

        String rejected = "";
        for (Path file : below(output.resolve("_quarantine"))) {
            rejected += Files.isRegularFile(file) ? Files.readString(file) : "";
        }
        assertThat(rejected.lines())
                .hasSize(5)
                .anyMatch(line -> line.contains("missing.png") && line.contains("no descriptor"))
                .anyMatch(line -> line.contains("infinite.png") && line.contains("not finite"))
                .anyMatch(line -> line.contains("short.png") && line.contains("3 dimensions, not 64"))
                .anyMatch(line -> line.contains("no name"))
                .anyMatch(line -> line.contains("longer than"));
        assertThat(index(table, output)).as("nothing to do").isEqualTo(new IndexJob.Summary(1200, 5, 3, 3, 1200));
    }

    @Test
    void a_second_start_continues_with_the_parts_of_the_first() throws IOException {
        Path output = folder.resolve("continued");
        IndexJob.Settings strict = new IndexJob.Settings(
                table.folder().toString(),
                output.toString(),
                folder.resolve("m.gramian").toString(),
                32,
                null,
                2,
                0);
        assertThatThrownBy(() -> new IndexJob(LocalSpark.spark(), strict).run())
                .isInstanceOf(JobException.class)
                .hasMessageContaining("5 of 1205 rows", "--most-rejected");
        assertThat(Manifest.hasParts(output)).as("the manifest is written last").isFalse();
        // One part is lost, and a dead attempt has left half of another.
        String job;
        try (Stream<Path> jobs = Files.list(output.resolve("_jobs"))) {
            job = jobs.findFirst().orElseThrow().getFileName().toString();
        }
        Files.delete(output.resolve("_jobs/" + job + "/00001.json"));
        Path left = Files.createDirectories(output.resolve("part-" + job + "-00001-deadbeef"));
        assertThat(index(table, output)).isEqualTo(new IndexJob.Summary(1200, 5, 2, 1, 1200));
        assertThat(left).doesNotExist();
        assertThat(LocalIndex.names(output)).isEqualTo(names(table));
    }

    @Test
    void another_table_is_added_with_the_same_components() throws IOException {
        Path output = folder.resolve("added");
        index(table, output);
        byte[] components = Files.readAllBytes(output.resolve("reduction.safetensors"));
        PlantedTable second = new PlantedTable(folder.resolve("second"), 1, 2, 40, 2)
                .write(LocalSpark.spark(), Sha256.of(MODEL), List.of());
        assertThat(index(second, output)).isEqualTo(new IndexJob.Summary(80, 0, 2, 0, 1280));
        assertThat(Files.readAllBytes(output.resolve("reduction.safetensors"))).isEqualTo(components);
        assertThat(LocalIndex.names(output))
                .hasSize(1280)
                .containsAll(names(second))
                .doesNotHaveDuplicates();

        Path results = folder.resolve("results");
        SparkSession spark = LocalSpark.spark();
        SearchJob search = new SearchJob(spark, output.toString(), 3, List.of());
        assertThat(search.similar(second.folder().toString(), results.toString()))
                .isEqualTo(new SearchJob.Summary(80, 0));
        List<Row> rows = spark.read().parquet(results.toString()).collectAsList();
        assertThat(rows).hasSize(240);
        assertThat(rows)
                .filteredOn(row -> row.<Integer>getAs("rank") == 1)
                .allMatch(row -> row.<String>getAs("query").equals(row.<String>getAs("name")));
        assertThatThrownBy(() -> search.similar(second.folder().toString(), results.toString()))
                .hasMessageContaining("exists; give a new directory");
    }

    @Test
    void tables_that_do_not_belong_are_refused_with_advice() throws IOException {
        SparkSession spark = LocalSpark.spark();
        Path output = folder.resolve("refused");
        PlantedTable other = new PlantedTable(folder.resolve("other"), 1, 1, 20, 3)
                .write(spark, Sha256.of("another model"), List.of());
        assertThatThrownBy(() -> index(other, output))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("was described with another model", "give the model that described it");
        PlantedTable none = new PlantedTable(Files.createDirectories(folder.resolve("none")), 1, 1, 1, 0);
        assertThatThrownBy(() -> index(none, output)).hasMessageContaining("no _plan.json");
        PlantedTable incomplete =
                new PlantedTable(folder.resolve("incomplete"), 2, 1, 5, 4).write(spark, Sha256.of(MODEL), List.of());
        Files.delete(incomplete.folder().resolve("_commits/00001.json"));
        assertThatThrownBy(() -> index(incomplete, output)).hasMessageContaining("1 of 2 waves");
        Path taken = Files.createDirectories(folder.resolve("thesis"));
        Files.writeString(taken.resolve("thesis.txt"), "important");
        assertThatThrownBy(() -> index(table, taken)).hasMessageContaining("holds thesis.txt");
        assertThatThrownBy(() -> new SearchJob(spark, taken.toString(), 5, List.of()))
                .hasMessageContaining("no parts.json");
    }

    @Test
    void missing_and_damaged_parts_are_reported() throws IOException {
        Path output = folder.resolve("damaged");
        index(table, output);
        Manifest manifest = Manifest.parseParts(Files.readAllBytes(output.resolve(Manifest.PARTS)));
        Path part = output.resolve(manifest.parts().get(1).name());
        for (Path file : below(part)) {
            if (Files.isRegularFile(file)) {
                byte[] bytes = Files.readAllBytes(file);
                bytes[bytes.length / 2] ^= 8;
                Files.write(file, bytes);
                assertThat(Verification.of(new IndexFolder(output)).problems())
                        .as("%s", file)
                        .anyMatch(problem -> problem.contains(part.getFileName().toString()));
                bytes[bytes.length / 2] ^= 8;
                Files.write(file, bytes);
            }
        }
        assertThat(Verification.of(new IndexFolder(output)).problems()).isEmpty();
        Files.move(part, folder.resolve("moved"));
        assertThatThrownBy(() -> PhotoSearch.Opened.of(output))
                .isInstanceOf(IndexException.class)
                .hasMessageContaining("a part of the index, is missing");
        assertThat(Verification.of(new IndexFolder(output)).problems())
                .anyMatch(problem -> problem.contains("is missing"));
    }
}
