package io.github.gramian.spark;

import java.util.Map;
import org.apache.spark.sql.SparkSession;

/** A Spark in the JVM of the tests. */
public final class LocalSpark {

    /** Two threads in this JVM. Classes per query, and 200 tasks per shuffle, would take longer than a few dozen rows. */
    static final Map<String, String> SETTINGS = Map.of(
            "spark.master", "local[2]",
            "spark.ui.enabled", "false",
            "spark.driver.host", "127.0.0.1",
            "spark.driver.bindAddress", "127.0.0.1",
            "spark.sql.shuffle.partitions", "1",
            "spark.sql.codegen.wholeStage", "false",
            "spark.sql.codegen.factoryMode", "NO_CODEGEN",
            "spark.sql.adaptive.enabled", "false");

    private LocalSpark() {}

    /** The same for all tests. */
    public static SparkSession spark() {
        SparkSession.Builder builder = SparkSession.builder();
        SETTINGS.forEach(builder::config);
        return builder.getOrCreate();
    }
}
