package io.github.gramian.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.spark.LocalSpark;
import io.github.gramian.spark.job.DescribeJob;
import io.github.gramian.spark.job.DescribeSettings;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that {@code gramian export} has written, in float and in 8-bit integers, on a Spark inside this JVM. */
@Tag("slow")
class ExportedModelTest {

    private static final int IMAGES = 24;

    /** Probabilities of a float export differ from those of the model by rounding alone. */
    private static final double FLOAT = 1e-4;

    /** 8 bits per weight and activation of a network with random weights. */
    private static final double INT8 = 0.1;

    @TempDir
    static Path folder;

    private static Path model = Path.of("");
    private static Path images = Path.of("");

    @BeforeAll
    static void make() throws Exception {
        LocalSpark.spark();
        model = SmallModels.random(folder);
        images = folder.resolve("images");
        SmallImages.fill(images, IMAGES);
        Object export = export().getMethod("of", Path.class).invoke(null, model);
        write(export, "float.onnx");
        Method rounding = export().getMethod("withInt8", Path.class, double.class);
        write(rounding.invoke(export, images, 100.0), "int8.onnx");
    }

    /** The module depends on gramian-onnx at run time only. */
    private static Class<?> export() throws ClassNotFoundException {
        return Class.forName("io.github.gramian.onnx.OnnxExport");
    }

    private static void write(Object export, String file) throws ReflectiveOperationException {
        export().getMethod("to", Path.class).invoke(export, folder.resolve(file));
    }

    private static List<Row> scored(GramianTransformer stage) {
        Dataset<Row> files = LocalSpark.spark()
                .read()
                .format("binaryFile")
                .option("recursiveFileLookup", "true")
                .load(images.toString());
        return stage.setBatchSize(5).transform(files).orderBy("path").collectAsList();
    }

    private static GramianTransformer stage(Path file) {
        return new GramianTransformer().setModel(file.toString());
    }

    private static void assertNear(List<Row> rows, List<Row> expected, double slack) {
        assertThat(rows).hasSize(IMAGES).hasSameSizeAs(expected);
        for (int i = 0; i < rows.size(); i++) {
            double[] found = rows.get(i).<Vector>getAs("probability").toArray();
            double[] wanted = expected.get(i).<Vector>getAs("probability").toArray();
            for (int c = 0; c < wanted.length; c++) {
                assertThat(found[c]).isCloseTo(wanted[c], within(slack));
            }
        }
    }

    @Test
    void a_stage_computes_an_export_in_float_like_the_model_itself() {
        assertThat(stage(folder.resolve("float.onnx")).classes()).isEqualTo(SmallImages.CLASSES);
        assertNear(scored(stage(folder.resolve("float.onnx"))), scored(stage(model)), FLOAT);
    }

    @Test
    void a_stage_computes_an_export_in_int8_with_several_threads() {
        List<Row> rows = scored(stage(folder.resolve("int8.onnx")).setThreads(2));

        assertNear(rows, scored(stage(model)), INT8);
    }

    @Test
    void a_saved_stage_contains_the_exported_file() throws IOException {
        Path saved = folder.resolve("stage");
        stage(folder.resolve("int8.onnx")).write().save(saved.toString());

        assertThat(saved.resolve("model.onnx")).hasSameBinaryContentAs(folder.resolve("int8.onnx"));
        assertNear(
                scored(GramianTransformer.load(saved.toString())), scored(stage(folder.resolve("int8.onnx"))), FLOAT);
    }

    @Test
    void a_job_describes_images_with_an_exported_file() throws IOException {
        DescribeSettings settings = new DescribeSettings(
                new ShardSource.LooseFiles(images.toString(), 8),
                folder.resolve("int8.onnx").toString(),
                folder.resolve("table").toString(),
                DescriptorEncoding.FP16,
                true,
                5,
                2,
                1,
                2,
                0.5,
                null);

        assertThat(new DescribeJob(LocalSpark.spark(), settings, wave -> {})
                        .run()
                        .described())
                .isEqualTo(IMAGES);
    }

    @Test
    void an_export_with_a_second_file_is_refused_by_the_driver() throws IOException {
        Path file = folder.resolve("two.onnx");
        Files.writeString(file, "graph");
        Files.writeString(folder.resolve("two.onnx.data"), "weights");

        assertThatThrownBy(() -> stage(file).classes()).hasMessageContaining("export it again without --external-data");
    }
}
