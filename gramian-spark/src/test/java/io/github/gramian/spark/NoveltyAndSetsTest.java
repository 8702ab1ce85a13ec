package io.github.gramian.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.spark.job.DescribeJob;
import io.github.gramian.spark.job.DescribeSettings;
import io.github.gramian.spark.job.Tables;
import io.github.gramian.spark.ml.GramianTransformer;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Novelty and sets of classes in the columns of a job and of a stage, compared with the predictions of one process. */
class NoveltyAndSetsTest {

    private static final int IMAGES = 9;
    private static final double COVERAGE = 0.7;

    /** Batches differ, so a distance may change in its last bits and its rank by one or two. */
    private static final double RANKS = 2.5 / 1000;

    @TempDir
    static Path folder;

    private static final Map<String, Prediction> EXPECTED = new HashMap<>();
    private static Path model = Path.of("");

    @BeforeAll
    static void predictInOneProcess() throws IOException {
        LocalSpark.spark();
        model = SmallModels.randomWithCertainty(folder);
        SmallImages.fill(folder.resolve("images"), IMAGES);
        List<Path> files;
        try (Stream<Path> below = Files.walk(folder.resolve("images"))) {
            files = below.filter(Files::isRegularFile).sorted().toList();
        }
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            predictor.predict(
                    files,
                    LoaderSettings.defaults(4),
                    one -> EXPECTED.put(Path.of(one.image()).getFileName().toString(), one));
        }
    }

    private static void assertSame(List<Row> rows, String name) {
        assertThat(rows).hasSize(IMAGES);
        for (Row row : rows) {
            String path = row.getAs(name);
            Prediction expected = Objects.requireNonNull(EXPECTED.get(path.substring(path.lastIndexOf('/') + 1)));
            assertThat(row.<Double>getAs("novelty"))
                    .isCloseTo(expected.novelty().orElseThrow(), within(RANKS));
            assertThat(row.<String>getList(row.fieldIndex("set")))
                    .containsExactlyElementsOf(expected.set(COVERAGE).stream()
                            .map(Prediction.Candidate::label)
                            .toList());
        }
    }

    private static Dataset<Row> images() {
        return LocalSpark.spark()
                .read()
                .format("binaryFile")
                .option("recursiveFileLookup", "true")
                .load(folder.resolve("images").toString());
    }

    @Test
    void a_stage_adds_novelty_and_sets() {
        GramianTransformer stage = new GramianTransformer()
                .setModel(model.toString())
                .setNoveltyCol("novelty")
                .setCoverage(COVERAGE);
        Dataset<Row> rows = stage.transform(images());
        assertThat(rows.schema()).isEqualTo(stage.transformSchema(images().schema()));
        assertSame(rows.collectAsList(), "path");
        assertThat(new GramianTransformer()
                        .setModel(model.toString())
                        .transformSchema(images().schema())
                        .fieldNames())
                .doesNotContain("novelty", "set");
        assertThat(stage.setSetCol("candidates")
                        .transformSchema(images().schema())
                        .fieldNames())
                .contains("novelty", "candidates")
                .doesNotContain("set");
    }

    @Test
    void a_job_adds_novelty_and_sets() throws IOException {
        DescribeSettings settings = settings(model, "table");
        new DescribeJob(LocalSpark.spark(), settings, wave -> {}).run();
        assertSame(Tables.described(LocalSpark.spark(), settings.output()).collectAsList(), "name");
    }

    private static DescribeSettings settings(Path file, String output) {
        return new DescribeSettings(
                new ShardSource.LooseFiles(folder.resolve("images").toString(), 8),
                file.toString(),
                folder.resolve(output).toString(),
                null,
                false,
                4,
                2,
                1,
                2,
                0.5,
                COVERAGE);
    }

    @Test
    void a_model_that_cannot_give_them_is_refused_before_anything_runs() throws IOException {
        Path plain = SmallModels.random(folder);
        GramianTransformer stage = new GramianTransformer().setModel(plain.toString());
        assertThatThrownBy(() -> stage.setNoveltyCol("novelty").transform(images()))
                .hasMessageContaining("the model has no novelty");
        assertThatThrownBy(() -> stage.setNoveltyCol("").setCoverage(COVERAGE).transform(images()))
                .hasMessageContaining("the model has no sets of classes");
        assertThatThrownBy(() -> new DescribeJob(LocalSpark.spark(), settings(plain, "refused"), wave -> {}).run())
                .hasMessageContaining("the model has no sets of classes");
        assertThatThrownBy(() -> stage.setCoverage(90)).hasMessageContaining("coverage");
    }
}
