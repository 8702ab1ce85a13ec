package io.github.gramian.spark.training;

import java.io.Serializable;

/**
 * A training for a cluster.
 *
 * @param recipe as YAML; the images and weights that it names lie at the same place on all machines
 * @param folder run directory; if a machine that may lead cannot reach it, a restart begins again
 * @param cache folder for features, on a disk that machines share or on each machine's own
 * @param processes that train together, each a task
 * @param threads engine threads per process; {@code spark.task.cpus} should be the same
 * @param restarts maximum number of times that all processes start again after some were lost
 * @param checkpointSeconds time between checkpoints within an epoch
 */
public record TrainSettings(
        String recipe, String folder, String cache, int processes, int threads, int restarts, long checkpointSeconds)
        implements Serializable {

    public TrainSettings {
        if (processes < 1 || threads < 1 || restarts < 0 || checkpointSeconds < 0) {
            throw new IllegalArgumentException(
                    "processes and threads must be at least 1, restarts and checkpoint seconds"
                            + " at least 0, but are " + processes + ", " + threads + ", " + restarts + " and "
                            + checkpointSeconds);
        }
    }
}
