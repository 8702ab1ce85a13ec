package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One of several processes, for {@link SeveralProcessesTest}; a checkpoint after every step. */
final class DistributedStageMain {

    private DistributedStageMain() {}

    /** The folder of the checkpoints, the file for the weights, the rank, the number of processes, the store, the precision. */
    public static void main(String[] arguments) throws IOException {
        Engine.useThreads(1);
        DistributedConfig distributed = DistributedConfig.at(
                        arguments[4], Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]))
                .waiting(Duration.ofMinutes(2));
        new DistributedStage(Precision.valueOf(arguments[5]), List.of())
                .run(distributed, Path.of(arguments[0]), Path.of(arguments[1]), Duration.ZERO);
    }
}
