package io.github.gramian.train;

import io.github.gramian.fixture.SmallRuns;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A training in a separate process, for {@link KillTest}; a checkpoint after every step. */
final class SmallRunMain {

    private SmallRunMain() {}

    /** The folder of the images, and the name of the run. */
    public static void main(String[] arguments) throws IOException {
        SmallRuns runs = SmallRuns.existing(Path.of(arguments[0]));
        runs.run(
                runs.recipe(
                        "stage1.epochs=3",
                        "stage2.epochs=1",
                        "stage2.trainFrom=res5b",
                        "stage2.ema=0.9",
                        "tuned=always",
                        "final=all"),
                arguments[1],
                TrainingOptions.defaults(runs.cache()).savingEvery(Duration.ZERO));
    }
}
