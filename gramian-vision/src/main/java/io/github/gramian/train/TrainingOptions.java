package io.github.gramian.train;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.run.TrainingListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Options of a training that do not change its result, except for rounding with several processes.
 *
 * @param cache directory for features, which runs on the same images share
 * @param checkpointEvery time between checkpoints within an epoch
 * @param stop checked after every step; if it returns true, the training saves and throws {@link TrainingStopped}
 * @param listener receives the events of the training
 * @param reportData whether the data of the report are written at the end
 * @param distributed the processes that train together, and which of them this one is
 */
public record TrainingOptions(
        Path cache,
        Duration checkpointEvery,
        BooleanSupplier stop,
        TrainingListener listener,
        boolean reportData,
        DistributedConfig distributed) {

    /** A checkpoint per minute, no cancellation, no listener, a single process. */
    public static TrainingOptions defaults(Path cache) {
        return new TrainingOptions(
                cache,
                Duration.ofMinutes(1),
                () -> false,
                TrainingListener.silent(),
                true,
                DistributedConfig.singleProcess());
    }

    /** The same with a listener. */
    public TrainingOptions withListener(TrainingListener other) {
        return new TrainingOptions(cache, checkpointEvery, stop, other, reportData, distributed);
    }

    /** The same; the training is cancelled when this returns true. */
    public TrainingOptions stoppedBy(BooleanSupplier other) {
        return new TrainingOptions(cache, checkpointEvery, other, listener, reportData, distributed);
    }

    /** The same with another time between checkpoints. */
    public TrainingOptions savingEvery(Duration time) {
        return new TrainingOptions(cache, time, stop, listener, reportData, distributed);
    }

    /** The same without report data: for a run of an experiment. */
    public TrainingOptions withoutReportData() {
        return new TrainingOptions(cache, checkpointEvery, stop, listener, false, distributed);
    }

    /** The same as one of several processes. */
    public TrainingOptions among(DistributedConfig processes) {
        return new TrainingOptions(cache, checkpointEvery, stop, listener, reportData, processes);
    }
}
