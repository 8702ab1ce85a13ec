package io.github.gramian.spark.job;

import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * A described table with drawn descriptors around forty centres, written as {@link DescribeJob} writes it.
 *
 * @param folder of the table
 * @param waves of the job
 * @param files per wave
 * @param rows per file
 * @param seed other tables have other images
 */
public record PlantedTable(Path folder, int waves, int files, int rows, long seed) {

    public static final int LENGTH = 64;

    private static final int CENTRES = 40;

    public int count() {
        return waves * files * rows;
    }

    public String name(int image) {
        return String.format(Locale.ROOT, "class%02d/%d-%07d.png", image % CENTRES, seed, image);
    }

    /** The descriptor of an image. */
    public float[] descriptor(int image) {
        return drawn(image % CENTRES, new Random(seed * 1_000_003 + image));
    }

    /** A descriptor that belongs to no image, near one of the centres. */
    public static float[] query(int number) {
        return drawn(number % CENTRES, new Random(-1L - number));
    }

    private static float[] drawn(int centre, Random noise) {
        Random place = new Random(centre);
        float[] descriptor = new float[LENGTH];
        for (int d = 0; d < LENGTH; d++) {
            double scale = Math.pow(1 + d, -0.5);
            descriptor[d] = (float) (scale * (place.nextGaussian() + 0.7 * noise.nextGaussian()));
        }
        return descriptor;
    }

    /** A model file with these bytes; its sum is what tables name. */
    public static Path model(Path file, String content) throws IOException {
        return Files.writeString(file, content);
    }

    /**
     * Writes the table.
     *
     * @param modelSum SHA-256 of the model that is said to have described the images
     * @param more rows of the first wave in addition
     */
    public PlantedTable write(SparkSession spark, String modelSum, List<Row> more) throws IOException {
        JobFolder job = new JobFolder(folder.toString(), new Configuration());
        List<ShardSource.Shard> shards = IntStream.range(0, waves * files)
                .mapToObj(shard -> new ShardSource.Shard("shard-" + shard, List.of("shard-" + shard + ".tar")))
                .toList();
        job.write(new JobFolder.WavePlan(
                "tar " + folder, modelSum, "descriptors fp32, probabilities false", files, shards));
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        for (int wave = 0; wave < waves; wave++) {
            List<Row> all = new ArrayList<>();
            for (int i = wave * files * rows; i < (wave + 1) * files * rows; i++) {
                all.add(row(
                        name(i),
                        i,
                        DescriptorEncoding.FP32.encode(descriptor(i)).bytes()));
            }
            if (wave == 0) {
                all.addAll(more);
            }
            spark.createDataFrame(context.parallelize(all, files), Columns.SCHEMA)
                    .write()
                    .mode(SaveMode.Overwrite)
                    .partitionBy(Columns.KIND)
                    .parquet(job.rows(wave));
            job.commit(new DescribeJob.WaveCommit(wave, all.size(), 0, 0, 1));
        }
        return this;
    }

    /** A described row. */
    public static Row row(@Nullable String name, int position, byte @Nullable [] descriptor) {
        return RowFactory.create(
                "shard", position, name, 0, "a", null, descriptor, 1f, null, null, null, null, Columns.DESCRIBED);
    }
}
