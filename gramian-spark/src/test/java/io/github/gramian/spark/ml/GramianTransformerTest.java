package io.github.gramian.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.attribute.Attribute;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.feature.StringIndexer;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GramianTransformerTest {

    private static final int IMAGES = 36;

    @TempDir
    static Path folder;

    private static Path model = Path.of("");

    @BeforeAll
    static void make() throws IOException {
        LocalSpark.spark(); // stages are saved and loaded by the session that runs, which they do not start
        model = SmallModels.random(folder);
        SmallImages.fill(folder.resolve("images"), IMAGES);
    }

    private static GramianTransformer stage() {
        return new GramianTransformer()
                .setModel(model.toString())
                .setDescriptorCol("descriptor")
                .setBatchSize(5);
    }

    /** The images as Spark reads files, with the kind of each. */
    private static Dataset<Row> images() {
        Dataset<Row> files = LocalSpark.spark()
                .read()
                .format("binaryFile")
                .option("recursiveFileLookup", "true")
                .load(folder.resolve("images").toString());
        return files.withColumn("kind", functions.regexp_extract(files.col("path"), "/([a-z]+)/[0-9]+\\.png", 1));
    }

    @Test
    void a_column_of_files_gets_the_predictions() throws IOException {
        List<Row> rows = stage().transform(images()).orderBy("path").collectAsList();
        assertThat(rows).hasSize(IMAGES);
        List<Path> files;
        try (Stream<Path> below = Files.walk(folder.resolve("images"))) {
            files = below.filter(Files::isRegularFile).sorted().toList();
        }
        List<float[]> descriptors = new ArrayList<>();
        List<float[]> probabilities = new ArrayList<>();
        List<Integer> best = new ArrayList<>();
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            predictor.describe(files, LoaderSettings.defaults(8), reading -> descriptors.add(reading.descriptor()));
            predictor.predict(files, LoaderSettings.defaults(8), answer -> {
                probabilities.add(answer.probabilities());
                best.add(answer.predicted());
            });
        }
        for (int i = 0; i < IMAGES; i++) {
            assertThat(rows.get(i).<String>getAs("path"))
                    .endsWith(files.get(i).getFileName().toString());
            assertClose(rows.get(i).getAs("descriptor"), descriptors.get(i));
            assertClose(rows.get(i).getAs("probability"), probabilities.get(i));
            assertThat(rows.get(i).<Double>getAs("prediction"))
                    .isEqualTo(best.get(i).doubleValue());
            assertThat(rows.get(i).<String>getAs("error")).isNull();
        }
    }

    private static void assertClose(Vector found, float[] expected) {
        double[] wide = new double[expected.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = expected[i];
        }
        assertThat(found.toArray()).containsExactly(wide, within(1e-6));
    }

    @Test
    void predictions_know_the_names_of_their_classes_and_vectors_their_length() {
        StructType schema = stage().transform(images()).schema();
        NominalAttribute labels = (NominalAttribute) Attribute.fromStructField(schema.apply("prediction"));
        assertThat(labels.values().get()).containsExactlyElementsOf(SmallImages.CLASSES);
        assertThat(schema.apply("descriptor").metadata().json()).contains("136");
        assertThat(schema).isEqualTo(stage().transformSchema(images().schema()));
        assertThat(stage().classes()).isEqualTo(SmallImages.CLASSES);
    }

    @Tag("long")
    @Test
    void a_pipeline_with_a_classifier_on_descriptors_fits_saves_loads_and_predicts_the_same() {
        Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {
            stage().setPredictionCol("").setProbabilityCol("").setHandleInvalid("skip"),
            new StringIndexer().setInputCol("kind").setOutputCol("label"),
            new LogisticRegression().setFeaturesCol("descriptor").setMaxIter(30).setRegParam(1e-3)
        });
        PipelineModel fitted = pipeline.fit(images());
        String saved = folder.resolve("pipeline").toString();
        assertThatCodeSaves(fitted, saved);
        PipelineModel loaded = PipelineModel.load(saved);
        List<Row> before = answers(fitted);
        List<Row> after = answers(loaded);
        assertThat(after).isEqualTo(before);
        long right = before.stream()
                .filter(row -> row.<Double>getAs("label").equals(row.<Double>getAs("prediction")))
                .count();
        assertThat(right).as("textures that even random filters distinguish").isGreaterThan(IMAGES * 8 / 10);
        assertThat(before).extracting(row -> row.<Double>getAs("prediction")).contains(0.0, 1.0, 2.0);
    }

    private static void assertThatCodeSaves(PipelineModel fitted, String path) {
        try {
            fitted.write().overwrite().save(path);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static List<Row> answers(PipelineModel model) {
        return model.transform(images())
                .select("path", "label", "prediction", "probability")
                .orderBy("path")
                .collectAsList();
    }

    @Test
    void a_saved_stage_carries_its_model_wherever_it_goes() throws IOException {
        Path own = Files.copy(model, folder.resolve("mine.gramian"));
        Path saved = folder.resolve("stage");
        stage().setModel(own.toString()).save(saved.toString());
        Path moved = folder.resolve("moved");
        Files.move(saved, moved);
        Files.delete(own);
        GramianTransformer loaded = GramianTransformer.load(moved.toString());
        assertThat(loaded.transform(images()).count()).isEqualTo(IMAGES);
        assertThat(loaded.explainParams()).contains("batchSize").contains("current: 5");
    }

    @Test
    void a_saved_stage_with_a_damaged_model_is_refused() throws IOException {
        Path saved = folder.resolve("damaged");
        stage().save(saved.toString());
        Files.deleteIfExists(saved.resolve(".model.gramian.crc"));
        Files.write(saved.resolve("model.gramian"), new byte[] {1}, StandardOpenOption.APPEND);
        assertThatThrownBy(() -> GramianTransformer.load(saved.toString()))
                .hasMessageContaining("not the model that was saved");
    }

    @Test
    void rows_without_an_image_have_a_reason_or_are_skipped_or_are_an_error() throws IOException {
        Path mixed = Files.createDirectories(folder.resolve("mixed"));
        Files.write(mixed.resolve("good.png"), SmallImages.png("rows", 1));
        Files.writeString(mixed.resolve("bad.png"), "no picture");
        Dataset<Row> files = LocalSpark.spark().read().format("binaryFile").load(mixed.toString());
        List<Row> rows =
                stage().setErrorCol("reason").transform(files).orderBy("path").collectAsList();
        assertThat(rows).hasSize(2);
        assertThat(rows.get(0).<String>getAs("reason")).isNotBlank();
        assertThat(rows.get(0).<Object>getAs("descriptor")).isNull();
        assertThat(rows.get(0).<Object>getAs("prediction")).isNull();
        assertThat(rows.get(1).<String>getAs("reason")).isNull();
        assertThat(stage().setHandleInvalid("skip").transform(files).count()).isEqualTo(1);
        assertThatThrownBy(
                        () -> stage().setHandleInvalid("error").transform(files).count())
                .hasStackTraceContaining("no readable image");
        assertThatThrownBy(() -> stage().setHandleInvalid("guess")).hasMessageContaining("handleInvalid");
    }

    @Test
    void a_schema_that_does_not_fit_is_refused_before_anything_runs() {
        StructType text = new StructType().add("content", DataTypes.StringType);
        assertThatThrownBy(() -> stage().transformSchema(text)).hasMessageContaining("binaryFile");
        StructType other = new StructType().add("picture", DataTypes.BinaryType);
        assertThatThrownBy(() -> stage().transformSchema(other))
                .hasMessageContaining("no column 'content'")
                .hasMessageContaining("picture");
        StructType taken =
                new StructType().add("content", DataTypes.BinaryType).add("prediction", DataTypes.DoubleType);
        assertThatThrownBy(() -> stage().transformSchema(taken)).hasMessageContaining("'prediction' already");
        StructType fine = new StructType().add("content", DataTypes.BinaryType);
        assertThatThrownBy(() -> stage().setPredictionCol("")
                        .setProbabilityCol("")
                        .setDescriptorCol("")
                        .transformSchema(fine))
                .hasMessageContaining("nothing to do");
        assertThatThrownBy(() -> new GramianTransformer().transformSchema(fine)).hasMessageContaining("setModel");
        assertThatThrownBy(() -> stage().setModel("nowhere.gramian").transformSchema(fine))
                .hasMessageContaining("nowhere.gramian");
    }

    @Test
    void a_copy_has_the_same_parameters() {
        GramianTransformer copy = stage().copy(new org.apache.spark.ml.param.ParamMap());
        assertThat(copy.getOrDefault(copy.descriptorCol())).isEqualTo("descriptor");
        assertThat(copy.params())
                .extracting(param -> param.name())
                .containsExactlyInAnyOrder(
                        "model",
                        "inputCol",
                        "predictionCol",
                        "probabilityCol",
                        "descriptorCol",
                        "errorCol",
                        "handleInvalid",
                        "coverage",
                        "noveltyCol",
                        "setCol",
                        "batchSize",
                        "threads");
    }
}
