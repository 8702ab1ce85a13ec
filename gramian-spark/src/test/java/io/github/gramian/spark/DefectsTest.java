package io.github.gramian.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fixture.SmallMaps;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.spark.job.DescribeJob;
import io.github.gramian.spark.job.DescribeSettings;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.Tables;
import io.github.gramian.spark.ml.GramianTransformer;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model of good parts in a stage and in a job: class, p-value and score are those of one process. */
class DefectsTest {

    private static final int PARTS = 3;

    @TempDir
    static Path folder;

    private static final Map<String, Reading> EXPECTED = new HashMap<>();

    @BeforeAll
    static void read_in_one_process() throws IOException {
        LocalSpark.spark();
        Path images = Files.createDirectories(folder.resolve("images"));
        for (int i = 0; i < PARTS; i++) {
            Files.write(images.resolve("part" + i + ".png"), SmallMaps.part(i));
            Files.write(images.resolve("flawed" + i + ".png"), SmallMaps.flawed(200 + i));
        }
        try (BatchPredictor predictor = BatchPredictor.load(SmallMaps.goodParts())) {
            predictor.describe(
                    IntStream.range(0, PARTS)
                            .boxed()
                            .flatMap(i -> List.of("part" + i, "flawed" + i).stream())
                            .map(name -> images.resolve(name + ".png"))
                            .toList(),
                    LoaderSettings.defaults(2),
                    reading -> EXPECTED.put(
                            Path.of(reading.prediction().image()).getFileName().toString(), reading));
        }
    }

    private static Reading expected(Row row, String name) {
        String path = row.getAs(name);
        return Objects.requireNonNull(EXPECTED.get(path.substring(path.lastIndexOf('/') + 1)));
    }

    @Test
    void a_stage_gives_class_p_value_and_score() {
        GramianTransformer stage = new GramianTransformer()
                .setModel(SmallMaps.goodParts().toString())
                .setNoveltyCol("novelty")
                .setDescriptorCol("score");
        Dataset<Row> images = LocalSpark.spark()
                .read()
                .format("binaryFile")
                .load(folder.resolve("images").toString());
        Dataset<Row> scored = stage.transform(images);
        assertThat(scored.schema().apply("score").metadata().json()).contains("\"num_attrs\":1");
        List<Row> rows = scored.collectAsList();
        assertThat(rows).hasSize(2 * PARTS);
        for (Row row : rows) {
            Reading expected = expected(row, "path");
            assertThat(row.<Double>getAs("prediction"))
                    .isEqualTo(expected.prediction().predicted());
            assertThat(row.<Double>getAs("novelty"))
                    .isEqualTo(expected.prediction().novelty().orElseThrow());
            assertThat(row.<Vector>getAs("score").toArray()).containsExactly((double) expected.descriptor()[0]);
        }
    }

    @Test
    void a_job_gives_class_p_value_and_score() throws IOException {
        DescribeSettings settings = new DescribeSettings(
                new ShardSource.LooseFiles(folder.resolve("images").toString(), 4),
                SmallMaps.goodParts().toString(),
                folder.resolve("table").toString(),
                DescriptorEncoding.FP32,
                false,
                4,
                2,
                1,
                2,
                0.5,
                null);
        new DescribeJob(LocalSpark.spark(), settings, wave -> {}).run();
        List<Row> rows = Tables.described(LocalSpark.spark(), settings.output()).collectAsList();
        assertThat(rows).hasSize(2 * PARTS);
        for (Row row : rows) {
            Reading expected = expected(row, "name");
            assertThat(row.<String>getAs("label"))
                    .isEqualTo(expected.prediction().label());
            assertThat(row.<Double>getAs("novelty"))
                    .isEqualTo(expected.prediction().novelty().orElseThrow());
            ByteBuffer score = ByteBuffer.wrap(row.<byte[]>getAs("descriptor")).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(score.getFloat()).isEqualTo(expected.descriptor()[0]);
            assertThat(score.hasRemaining()).isFalse();
        }
    }
}
