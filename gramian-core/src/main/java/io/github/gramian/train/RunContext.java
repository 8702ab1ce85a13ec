package io.github.gramian.train;

import io.github.gramian.parallel.Peers;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What surrounds a stage and changes no number, but for the order of additions that comes with other processes.
 *
 * @param listener hears everything, the log included
 * @param log keeps epochs and fits
 * @param stop asked after every step
 * @param checkpointEvery time between checkpoints within an epoch
 * @param peers who trains with this process
 */
record RunContext(
        TrainingListener listener, EventLog log, BooleanSupplier stop, Duration checkpointEvery, Peers peers) {}
