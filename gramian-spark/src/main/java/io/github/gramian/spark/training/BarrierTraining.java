package io.github.gramian.spark.training;

import io.github.gramian.io.internal.Text;
import io.github.gramian.spark.executor.EngineSettings;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.reflect.ClassTag$;

/**
 * Trains on a cluster: as many tasks as processes, which Spark starts all at once or not at all (a barrier stage). Its
 * gradients go through Gloo from executor to executor, never through Spark.
 *
 * <p>Spark does not repeat a barrier stage whose results are collected, so the driver does: when processes were lost it
 * starts all of them again, and they continue from the last checkpoint.
 */
public final class BarrierTraining {

    private final JavaSparkContext context;
    private final TrainSettings settings;
    private final Consumer<String> listener;

    /**
     * Prepares a training.
     *
     * @param listener is called at every restart
     */
    public BarrierTraining(SparkSession spark, TrainSettings settings, Consumer<String> listener) {
        EngineSettings.apply();
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.settings = settings;
        this.listener = listener;
    }

    /**
     * Trains to the end.
     *
     * @return the result as the first process reports it
     * @throws TrainingFailedException if a process failed by itself, or were lost more often than allowed
     */
    public String run() {
        for (int restart = 0; ; restart++) {
            try {
                return result(together().get(0));
            } catch (LostException e) {
                if (restart == settings.restarts()) {
                    throw new TrainingFailedException(
                            "processes were lost " + (restart + 1) + " times, the last time: " + e.getMessage()
                                    + "; start the same command again to continue from the last checkpoint",
                            e);
                }
                listener.accept(
                        "processes were lost (" + e.getMessage() + "); all continue from the last checkpoint, start "
                                + (restart + 2) + " of at most " + (settings.restarts() + 1));
            }
        }
    }

    private static String result(TrainTask.Ending ending) {
        if (ending.failed()) {
            throw new TrainingFailedException(ending.text(), null);
        }
        return ending.text();
    }

    private List<TrainTask.Ending> together() throws LostException {
        List<Integer> ranks = IntStream.range(0, settings.processes()).boxed().toList();
        JavaRDD<Integer> tasks = context.parallelize(ranks, settings.processes());
        try {
            return tasks.rdd()
                    .barrier()
                    .mapPartitions(
                            new TrainTask(settings),
                            false,
                            ClassTag$.MODULE$.<TrainTask.Ending>apply(TrainTask.Ending.class))
                    .toJavaRDD()
                    .collect();
        } catch (Exception failure) { // Spark's Scala code throws checked exceptions that it does not declare
            if (failure instanceof SparkException lost) {
                throw new LostException(lost);
            }
            throw failure;
        }
    }

    /** The stage failed: an executor died, or a process lost another. */
    private static final class LostException extends Exception {

        private static final long serialVersionUID = 1;

        LostException(SparkException cause) {
            super(Text.firstLine(String.valueOf(cause.getMessage())), cause);
        }
    }
}
