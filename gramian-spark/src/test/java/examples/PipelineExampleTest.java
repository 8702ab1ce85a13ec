package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.spark.LocalSpark;
import io.github.gramian.spark.ml.GramianTransformer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.feature.StringIndexer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pipeline of docs/spark.md, on drawn textures. */
@Tag("long")
class PipelineExampleTest {

    @TempDir
    static Path folder;

    @Test
    void a_pipeline_with_a_classifier_on_descriptors_is_fitted_and_saved() throws IOException {
        SparkSession spark = LocalSpark.spark();
        Path made = Files.createDirectories(folder.resolve("made"));
        Files.copy(SmallModels.randomWithCertainty(made), folder.resolve("model.gramian"));
        SmallImages.fill(folder.resolve("photos"), 36);
        fitAndSave(spark);
        PipelineModel loaded = PipelineModel.load(below("pipeline"));
        assertThat(loaded.stages()).hasSize(3);
    }

    private static void fitAndSave(SparkSession spark) throws IOException {
        GramianTransformer gramian = new GramianTransformer()
                .setModel(below("model.gramian"))
                .setDescriptorCol("descriptor")
                .setNoveltyCol("novelty") // p-value of the novelty; none unless set
                .setCoverage(0.9) // adds the column "set", names of classes
                .setPredictionCol("")
                .setProbabilityCol("") // not wanted here
                .setHandleInvalid("skip"); // or keep: nulls and a reason in the column "error"
        Dataset<Row> images = spark.read()
                .format("binaryFile")
                .option("recursiveFileLookup", "true")
                .load(below("photos"));
        StringIndexer indexer = new StringIndexer().setInputCol("kind").setOutputCol("label");
        PipelineModel fitted = new Pipeline()
                .setStages(
                        new PipelineStage[] {gramian, indexer, new LogisticRegression().setFeaturesCol("descriptor")})
                .fit(images.withColumn("kind", functions.regexp_extract(functions.col("path"), "/([^/]+)/[^/]+$", 1)));
        fitted.write().save(below("pipeline")); // the model's file is inside
    }

    private static String below(String name) {
        return folder.resolve(name).toString();
    }
}
