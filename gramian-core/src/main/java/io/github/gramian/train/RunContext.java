package io.github.gramian.train;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What surrounds a stage and changes no number.
 *
 * @param listener hears everything, the log included
 * @param log keeps epochs and fits
 * @param stop asked after every step
 * @param checkpointEvery time between checkpoints within an epoch
 */
record RunContext(TrainingListener listener, EventLog log, BooleanSupplier stop, Duration checkpointEvery) {}
