package io.github.gramian.spark.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The complete waves that a job has written so far. (Once a job is complete, reading the folder as any table of
 * Parquet files, with the columns {@code wave} and {@code kind}, gives the same rows.)
 */
public final class Tables {

    private Tables() {}

    /** Described images: shard, position, name, prediction, label, probabilities, descriptor, scale. */
    public static Dataset<Row> described(SparkSession spark, String output) throws IOException {
        return rows(spark, output, Columns.DESCRIBED).drop(Columns.REASON, Columns.ATTEMPTS);
    }

    /** Images without: shard, position, name, reason, attempts. */
    public static Dataset<Row> quarantine(SparkSession spark, String output) throws IOException {
        return rows(spark, output, Columns.QUARANTINE)
                .select(Columns.SHARD, Columns.POSITION, Columns.NAME, Columns.REASON, Columns.ATTEMPTS);
    }

    private static Dataset<Row> rows(SparkSession spark, String output, String kind) throws IOException {
        JobFolder folder = new JobFolder(output, spark.sessionState().newHadoopConf());
        List<String> complete = new ArrayList<>();
        for (DescribeJob.WaveCommit commit : folder.commits()) {
            complete.add(folder.rows(commit.wave()));
        }
        Dataset<Row> all = complete.isEmpty()
                ? spark.createDataFrame(List.of(), Columns.SCHEMA)
                : spark.read()
                        .schema(Columns.SCHEMA)
                        .option("basePath", folder.root().toString())
                        .parquet(complete.toArray(String[]::new));
        return all.filter(all.col(Columns.KIND).equalTo(kind)).drop(Columns.KIND);
    }
}
