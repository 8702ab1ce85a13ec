package io.github.gramian.train;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.train.internal.StoppableSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The stop request, checked once a batch by all long work of a training. Stages of descent check it
 * themselves, and save before they stop; all other work has nothing to save, and is repeated when the run is resumed.
 *
 * <p>Belongs to one thread.
 */
final class StopRequest {

    /** A user waits no longer than five seconds, of which the batch under way takes some. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private final BooleanSupplier asked;
    private final Path run;
    private long firstSeen;
    private boolean seen;

    StopRequest(BooleanSupplier asked, Path run) {
        this.asked = asked;
        this.run = run;
    }

    boolean isAsked() {
        return asked.getAsBoolean();
    }

    /** Stops if a stop was requested. */
    void obey() {
        if (isAsked()) {
            throw new TrainingStopped(run);
        }
    }

    /** Stops if a stop was requested some seconds ago: for work that saves when it is done, which is mostly soon. */
    private void obeySoon() {
        if (!isAsked()) {
            return;
        }
        if (!seen) {
            seen = true;
            firstSeen = System.nanoTime();
        } else if (System.nanoTime() - firstSeen > SOON.toNanos()) {
            throw new TrainingStopped(run);
        }
    }

    /** The same images; a stop is obeyed before each batch. */
    BatchSource obeyed(BatchSource images) {
        return new StoppableSource(images, this::obey);
    }

    /** The same, where there are images. */
    @Nullable
    BatchSource obeyedIfAny(@Nullable BatchSource images) {
        return images == null ? null : obeyed(images);
    }

    /** The same images, if any; a stop is obeyed if they are not done some seconds after it. */
    @Nullable
    BatchSource obeyedSoon(@Nullable BatchSource images) {
        return images == null ? null : new StoppableSource(images, this::obeySoon);
    }
}
