package io.github.gramian.train;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What surrounds a training and changes none of its numbers.
 *
 * @param cache folder for features, which runs on the same images share
 * @param checkpointEvery time between checkpoints within an epoch
 * @param stop asked after every step; when true, the training saves and throws {@link TrainingStopped}
 * @param listener hears what happens
 * @param exhibits whether pictures for the report are drawn in the end
 */
public record TrainingOptions(
        Path cache, Duration checkpointEvery, BooleanSupplier stop, TrainingListener listener, boolean exhibits) {

    /** A checkpoint a minute, nothing stops, nobody listens. */
    public static TrainingOptions quiet(Path cache) {
        return new TrainingOptions(cache, Duration.ofMinutes(1), () -> false, TrainingListener.silent(), true);
    }

    /** The same with a listener. */
    public TrainingOptions hearing(TrainingListener other) {
        return new TrainingOptions(cache, checkpointEvery, stop, other, exhibits);
    }

    /** The same, stopped by this. */
    public TrainingOptions stoppedBy(BooleanSupplier other) {
        return new TrainingOptions(cache, checkpointEvery, other, listener, exhibits);
    }

    /** The same with another time between checkpoints. */
    public TrainingOptions savingEvery(Duration time) {
        return new TrainingOptions(cache, time, stop, listener, exhibits);
    }

    /** The same without pictures: for a run that nobody looks at alone. */
    public TrainingOptions withoutExhibits() {
        return new TrainingOptions(cache, checkpointEvery, stop, listener, false);
    }
}
