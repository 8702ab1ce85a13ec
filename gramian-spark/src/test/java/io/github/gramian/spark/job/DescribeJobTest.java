package io.github.gramian.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.spark.LocalSpark;
import io.github.gramian.spark.shard.Packer;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The job on a Spark inside this JVM; what dies and comes back is tested on a cluster. */
class DescribeJobTest {

    private static final int IMAGES = 30;

    @TempDir
    static Path folder;

    private static final Map<String, float[]> DESCRIPTORS = new HashMap<>();
    private static Path model = Path.of("");
    private static Path images = Path.of("");

    @BeforeAll
    static void makeImagesAndDescribeThemInOneProcess() throws IOException {
        model = SmallModels.random(folder);
        images = folder.resolve("images");
        SmallImages.fill(images, IMAGES);
        List<Path> files;
        try (Stream<Path> below = Files.walk(images)) {
            files = below.filter(Files::isRegularFile).sorted().toList();
        }
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            predictor.describe(
                    files,
                    LoaderSettings.defaults(7),
                    reading -> DESCRIPTORS.put(
                            images.relativize(Path.of(reading.prediction().image()))
                                    .toString(),
                            reading.descriptor()));
        }
        Files.writeString(images.resolve("rows/broken.png"), "no picture");
        Packer packer = new Packer(new Packer.Settings(images.toString(), shards().toString(), 8, 1 << 20));
        for (ShardSource.Shard shard : packer.plan(new Configuration())) {
            packer.pack(shard, new Configuration());
        }
    }

    private static Path shards() {
        return folder.resolve("shards");
    }

    private static DescribeSettings settings(ShardSource source, String output, DescriptorEncoding encoding) {
        return new DescribeSettings(
                source, model.toString(), folder.resolve(output).toString(), encoding, true, 5, 2, 1, 2, 0.5, null);
    }

    private static DescribeJob.Summary run(DescribeSettings settings, List<DescribeJob.WaveCommit> commits)
            throws IOException {
        return new DescribeJob(LocalSpark.spark(), settings, commits::add).run();
    }

    private static void assertEveryImageOnce(String output, DescriptorEncoding encoding, double slack)
            throws IOException {
        SparkSession spark = LocalSpark.spark();
        List<Row> rows = Tables.described(spark, output).collectAsList();
        assertThat(rows)
                .extracting(row -> row.<String>getAs("name"))
                .hasSize(IMAGES)
                .doesNotHaveDuplicates();
        for (Row row : rows) {
            float[] expected = Objects.requireNonNull(DESCRIPTORS.get(row.<String>getAs("name")));
            float scale = row.<Float>getAs("scale");
            float[] decoded = encoding.decode(row.getAs("descriptor"), scale);
            assertThat(decoded).hasSameSizeAs(expected);
            for (int i = 0; i < decoded.length; i++) {
                assertThat((double) decoded[i])
                        .isCloseTo(expected[i], within(slack + encoding.errorBound(expected[i], scale)));
            }
            List<Float> probabilities = row.getList(row.fieldIndex("probabilities"));
            assertThat(probabilities).hasSize(3);
            int prediction = row.<Integer>getAs("prediction");
            assertThat(probabilities).allMatch(p -> p <= probabilities.get(prediction));
            assertThat(row.<String>getAs("label")).isEqualTo(SmallImages.CLASSES.get(prediction));
        }
        assertThat(Tables.quarantine(spark, output).collectAsList())
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.<String>getAs("name")).isEqualTo("rows/broken.png");
                    assertThat(row.<String>getAs("reason")).contains("not a JPEG");
                    assertThat(row.<Integer>getAs("attempts")).isEqualTo(1);
                });
    }

    /** The other encodings of a table: fp32 below, int8 in {@code MainTest}; all values in {@code DescriptorEncodingTest}. */
    @Test
    void tar_shards_become_a_table() throws IOException {
        assertThatTarShardsBecomeATable(DescriptorEncoding.FP16);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FP16")
    void tar_shards_become_a_table_in_the_other_encodings(DescriptorEncoding encoding) throws IOException {
        assertThatTarShardsBecomeATable(encoding);
    }

    private static void assertThatTarShardsBecomeATable(DescriptorEncoding encoding) throws IOException {
        DescribeSettings settings =
                settings(new ShardSource.TarShards(shards().toString()), "tar-" + encoding.key(), encoding);
        List<DescribeJob.WaveCommit> commits = new ArrayList<>();
        DescribeJob.Summary summary = run(settings, commits);
        assertThat(summary).isEqualTo(new DescribeJob.Summary(IMAGES, 1, 2, 0));
        assertThat(commits).hasSize(2);
        assertEveryImageOnce(settings.output(), encoding, 1e-6);
    }

    @Test
    void loose_files_become_the_same_table() throws IOException {
        DescribeSettings settings =
                settings(new ShardSource.LooseFiles(images.toString(), 9), "files", DescriptorEncoding.FP32);
        run(settings, new ArrayList<>());
        assertEveryImageOnce(settings.output(), DescriptorEncoding.FP32, 1e-6);
    }

    @Test
    void parquet_becomes_the_same_table() throws IOException {
        SparkSession spark = LocalSpark.spark();
        List<Row> rows = new ArrayList<>();
        try (Stream<Path> below = Files.walk(images)) {
            for (Path file : below.filter(Files::isRegularFile).toList()) {
                rows.add(RowFactory.create(images.relativize(file).toString(), 1, Files.readAllBytes(file)));
            }
        }
        StructType schema = new StructType()
                .add("path", DataTypes.StringType)
                .add("other", DataTypes.IntegerType)
                .add("content", DataTypes.BinaryType);
        String table = folder.resolve("parquet-images").toString();
        spark.createDataFrame(rows, schema).repartition(3).write().parquet(table);
        DescribeSettings settings = settings(
                new ShardSource.ParquetImages(table, "path", "content"), "from-parquet", DescriptorEncoding.FP32);
        run(settings, new ArrayList<>());
        assertEveryImageOnce(settings.output(), DescriptorEncoding.FP32, 1e-6);

        DescribeSettings wrong =
                settings(new ShardSource.ParquetImages(table, "file", "content"), "wrong", DescriptorEncoding.FP32);
        assertThatThrownBy(() -> run(wrong, new ArrayList<>()))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("no column 'file'");
    }

    @Test
    void files_that_are_not_or_no_longer_parquet_are_rows_in_quarantine() throws IOException {
        SparkSession spark = LocalSpark.spark();
        StructType schema = new StructType().add("path", DataTypes.StringType).add("content", DataTypes.BinaryType);
        List<Row> rows = List.of(
                RowFactory.create("a", SmallImages.png("rows", 1)),
                RowFactory.create("b", SmallImages.png("checks", 2)),
                RowFactory.create(null, SmallImages.png("checks", 3)),
                RowFactory.create("d", null));
        Path table = folder.resolve("damaged-parquet");
        spark.createDataFrame(rows, schema).coalesce(1).write().parquet(table.toString());
        Files.writeString(table.resolve("x-no.parquet"), "PAR1 is what it starts with, and that is all");
        DescribeSettings settings = settings(
                new ShardSource.ParquetImages(table.toString(), "path", "content"),
                "from-damaged",
                DescriptorEncoding.FP32);
        DescribeJob.Summary summary = run(settings, new ArrayList<>());
        assertThat(summary.described()).isEqualTo(3);
        assertThat(Tables.quarantine(spark, settings.output()).collectAsList())
                .extracting(row -> row.<String>getAs("reason"))
                .anyMatch(reason -> reason.contains("no bytes"))
                .anyMatch(reason -> reason.contains("not a Parquet file"))
                .hasSize(2);
    }

    @Tag("long")
    @Test
    void a_second_start_does_nothing_again_and_an_uncommitted_wave_is_overwritten() throws IOException {
        DescribeSettings settings =
                settings(new ShardSource.TarShards(shards().toString()), "again", DescriptorEncoding.FP32);
        run(settings, new ArrayList<>());
        Path output = folder.resolve("again");
        FileTime first = Files.getLastModifiedTime(output.resolve("wave=00000/_SUCCESS"));
        assertThat(run(settings, new ArrayList<>())).isEqualTo(new DescribeJob.Summary(IMAGES, 1, 2, 2));

        // As if the driver had died after writing the second wave's rows and before its record.
        Files.delete(output.resolve("_commits/00001.json"));
        assertThat(Tables.described(LocalSpark.spark(), settings.output()).count())
                .isBetween(1L, IMAGES - 1L);
        assertThat(run(settings, new ArrayList<>())).isEqualTo(new DescribeJob.Summary(IMAGES, 1, 2, 1));
        assertThat(Files.getLastModifiedTime(output.resolve("wave=00000/_SUCCESS")))
                .isEqualTo(first);
        assertEveryImageOnce(settings.output(), DescriptorEncoding.FP32, 1e-6);
        assertThat(LocalSpark.spark().read().parquet(settings.output()).count()).isEqualTo(IMAGES + 1);
    }

    @Test
    void suspects_are_read_one_by_one_and_a_proven_crashing_image_is_skipped() throws IOException {
        DescribeSettings settings =
                settings(new ShardSource.TarShards(shards().toString()), "crash", DescriptorEncoding.FP32);
        JobFolder job = new JobFolder(settings.output(), new Configuration());
        String shard = job.attempts(0) + "/" + io.github.gramian.io.internal.Sha256.of("shard-000000.tar");
        new AttemptJournal(shard, new Configuration()).batch(0, 5);
        new AttemptJournal(shard, new Configuration()).alone(3);
        new AttemptJournal(shard, new Configuration()).alone(3);
        new AttemptJournal(shard, new Configuration()).alone(4); // once is not enough
        assertThat(run(settings, new ArrayList<>())).isEqualTo(new DescribeJob.Summary(IMAGES - 1, 2, 2, 0));
        List<Row> quarantine =
                Tables.quarantine(LocalSpark.spark(), settings.output()).collectAsList();
        assertThat(quarantine).anySatisfy(row -> {
            assertThat(row.<Integer>getAs("position")).isEqualTo(3);
            assertThat(row.<String>getAs("reason")).contains("crashed its executor");
            assertThat(row.<Integer>getAs("attempts")).isEqualTo(2);
        });
        for (Row row : Tables.described(LocalSpark.spark(), settings.output()).collectAsList()) {
            float[] expected = Objects.requireNonNull(DESCRIPTORS.get(row.<String>getAs("name")));
            assertThat(DescriptorEncoding.FP32.decode(row.getAs("descriptor"), 1))
                    .containsExactly(expected, within(1e-6f));
        }
    }

    @Test
    void a_shard_that_is_cut_off_gives_what_is_whole_and_a_row_in_quarantine() throws IOException {
        Path cut = Files.createDirectories(folder.resolve("cut"));
        byte[] whole = Files.readAllBytes(shards().resolve("shard-000000.tar"));
        Files.write(
                cut.resolve("a.tar"), java.util.Arrays.copyOf(whole, whole.length * 2 / 3), StandardOpenOption.CREATE);
        DescribeSettings settings =
                settings(new ShardSource.TarShards(cut.toString()), "from-cut", DescriptorEncoding.FP32);
        DescribeJob.Summary summary = run(settings, new ArrayList<>());
        assertThat(summary.described()).isBetween(3L, 6L);
        assertThat(summary.quarantined()).isEqualTo(1);
        Row row = Tables.quarantine(LocalSpark.spark(), settings.output()).first();
        assertThat(row.<String>getAs("reason")).contains("cut off");
        assertThat(row.<String>getAs("shard")).isEqualTo("a.tar");
    }

    @Test
    void when_most_images_are_rejected_the_job_stops_without_a_commit() throws IOException {
        Path broken = Files.createDirectories(folder.resolve("all-broken"));
        for (int i = 0; i < 4; i++) {
            Files.writeString(broken.resolve(i + ".jpg"), "no picture");
        }
        DescribeSettings settings =
                settings(new ShardSource.LooseFiles(broken.toString(), 9), "stopped", DescriptorEncoding.FP32);
        assertThatThrownBy(() -> run(settings, new ArrayList<>()))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("4 of 4")
                .hasMessageContaining("--most-rejected");
        assertThat(folder.resolve("stopped/_commits")).doesNotExist();
    }

    @Test
    void a_directory_with_other_files_and_an_empty_source_are_refused() throws IOException {
        Path taken = Files.createDirectories(folder.resolve("taken"));
        Files.writeString(taken.resolve("thesis.txt"), "important");
        assertThatThrownBy(() -> run(
                        settings(new ShardSource.TarShards(shards().toString()), "taken", DescriptorEncoding.FP32),
                        new ArrayList<>()))
                .hasMessageContaining("contains other files");
        Path empty = Files.createDirectories(folder.resolve("nothing"));
        assertThatThrownBy(() -> run(
                        settings(new ShardSource.TarShards(empty.toString()), "no", DescriptorEncoding.FP32),
                        new ArrayList<>()))
                .hasMessageContaining("no shards");
    }
}
