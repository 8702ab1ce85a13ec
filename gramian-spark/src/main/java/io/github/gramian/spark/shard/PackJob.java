package io.github.gramian.spark.shard;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/** {@link Packer} on a cluster, one shard per task. */
public final class PackJob {

    private final SparkSession spark;
    private final PackSettings settings;

    public PackJob(SparkSession spark, PackSettings settings) {
        this.spark = spark;
        this.settings = settings;
    }

    /**
     * Result of the job.
     *
     * @param shards that there are now
     * @param leftOut files that are not in the shards that this job made
     */
    public record Summary(int shards, List<Packer.LeftOut> leftOut) {}

    /** Packs; makes only the shards that are missing. */
    public Summary run() throws IOException {
        Configuration hadoop = spark.sessionState().newHadoopConf();
        PackSettings what = settings.qualified(hadoop);
        List<Shard> plan = new Packer(what).plan(hadoop);
        int shards = plan.size();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        Broadcast<SerializableConfiguration> everywhere = context.broadcast(new SerializableConfiguration(hadoop));
        List<Packer.LeftOut> leftOut = context.parallelize(
                        IntStream.range(0, shards).boxed().toList(), shards)
                .flatMap(number -> new Packer(what)
                        .pack(plan.get(number), everywhere.value().value())
                        .iterator())
                .collect();
        return new Summary(shards, List.copyOf(leftOut));
    }
}
