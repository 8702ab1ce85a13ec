package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.EventLog;
import java.time.Duration;
import java.util.Map;

/**
 * Context of a stage that does not change its result, except for the order of additions with several processes.
 *
 * @param listener receives all events, the log included
 * @param log keeps epochs and fits
 * @param cancellation checked after every step
 * @param checkpointEvery time between checkpoints within an epoch
 * @param group the processes that train together
 * @param inputs hashes of the inputs of the run, by name; checkpoints keep them and are refused when they differ
 */
public record StageContext(
        TrainingListener listener,
        EventLog log,
        CancellationToken cancellation,
        Duration checkpointEvery,
        ProcessGroup group,
        Map<String, String> inputs) {

    public StageContext {
        inputs = Map.copyOf(inputs);
    }

    /** For a stage by itself, which is given no files. */
    public StageContext(
            TrainingListener listener,
            EventLog log,
            CancellationToken cancellation,
            Duration checkpointEvery,
            ProcessGroup group) {
        this(listener, log, cancellation, checkpointEvery, group, Map.of());
    }
}
