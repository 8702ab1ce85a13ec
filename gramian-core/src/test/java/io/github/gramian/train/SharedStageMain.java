package io.github.gramian.train;

import io.github.gramian.parallel.World;
import io.github.gramian.tensor.Engine;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One of several processes, for {@link SeveralProcessesTest}; a checkpoint after every step. */
final class SharedStageMain {

    private SharedStageMain() {}

    /** The folder of the checkpoints, the file for the weights, the rank, the number of processes, the store, the precision. */
    public static void main(String[] arguments) throws IOException {
        Engine.useThreads(1);
        World world = World.at(arguments[4], Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]))
                .waiting(Duration.ofMinutes(2));
        new SharedStage(Precision.valueOf(arguments[5]), List.of())
                .run(world, Path.of(arguments[0]), Path.of(arguments[1]), Duration.ZERO);
    }
}
