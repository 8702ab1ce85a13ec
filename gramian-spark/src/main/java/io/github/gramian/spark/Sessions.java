package io.github.gramian.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** The session of an application, with the settings that our jobs need, unless the user has set them. */
final class Sessions {

    /**
     * An image that crashes its executor does so once in a batch and then by itself, as often as allowed; and a shard may
     * hold several of them.
     */
    private static final String FAILURES = "64";

    /** For jobs whose tasks do not crash by themselves: a failure that repeats is reported soon. */
    static final String FEW_FAILURES = "6";

    private Sessions() {}

    static SparkSession open(String name) {
        return open(name, FAILURES);
    }

    /** @param failures of one task before the job fails */
    static SparkSession open(String name, String failures) {
        SparkConf conf = new SparkConf(); // the settings of spark-submit
        conf.setIfMissing("spark.task.maxFailures", failures);
        // A training that lost an executor continues as soon as there is another, not up to a quarter of a minute
        // later.
        conf.setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "2s");
        conf.setIfMissing("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "300");
        conf.setIfMissing("spark.app.name", name);
        conf.setIfMissing("spark.ui.showConsoleProgress", "false");
        return SparkSession.builder().config(conf).getOrCreate();
    }
}
