package io.github.gramian.train.stage.internal;

import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.EventLog;
import java.time.Duration;
import java.util.Map;

/**
 * Context of a stage that does not change its result, except for the order of additions with several processes.
 *
 * @param listener receives all events, the log included
 * @param log stores epochs and fits
 * @param cancellation checked after every step
 * @param checkpointEvery time between checkpoints within an epoch
 * @param processes that train together
 * @param inputs hashes of the inputs of the run, by name; checkpoints store them and are refused if they differ
 */
public record StageContext(
        TrainingListener listener,
        EventLog log,
        CancellationToken cancellation,
        Duration checkpointEvery,
        DistributedTraining processes,
        Map<String, String> inputs) {

    public StageContext {
        inputs = Map.copyOf(inputs);
    }

    /** For a stage by itself, which is given no files. */
    StageContext(TrainingListener listener, EventLog log, Duration checkpointEvery, DistributedTraining processes) {
        this(listener, log, CancellationToken.never(), checkpointEvery, processes, Map.of());
    }
}
