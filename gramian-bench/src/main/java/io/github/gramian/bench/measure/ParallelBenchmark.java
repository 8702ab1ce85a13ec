package io.github.gramian.bench.measure;

import static java.util.Objects.requireNonNull;

import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.model.Network;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.train.stage.internal.StageTrial;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stage 1 of a training with the default settings, at the size that ResNet-50's features have, by one process and by
 * several that divide every batch into shards: in turn, round after round, each process with the threads that it was given.
 *
 * @param batch images per step, of all processes together
 * @param batches of a round; at least 2
 * @param rounds measured, alternating
 */
public record ParallelBenchmark(int batch, int batches, int rounds) {

    private static final double TARGET = 0.85;
    private static final String SINGLE_PROCESS = "alone";
    private static final String TOGETHER = "together";

    public ParallelBenchmark {
        if (batch < 1 || batches < 2) {
            throw new IllegalArgumentException(
                    "a batch needs at least 1 image and a round 2 batches but they have " + batch + " and " + batches);
        }
    }

    /**
     * Result of the benchmark.
     *
     * @param processes that trained together
     * @param threads of each process
     * @param alonePerSecond images per second of a single process
     * @param togetherPerSecond images per second of all
     * @param efficiency together / (single process · processes); 1 is the best possible
     * @param target that the efficiency should reach
     * @param waitingShare fraction of the first process's time together that was spent waiting for exchanges
     * @param alone milliseconds of a round of the single process
     * @param together milliseconds of a round
     * @param blas library
     */
    public record Result(
            int processes,
            int threads,
            int batch,
            int images,
            double alonePerSecond,
            double togetherPerSecond,
            double efficiency,
            double target,
            double waitingShare,
            Timing alone,
            Timing together,
            String blas) {}

    /**
     * Takes part in the measurement as one of the processes; the first one gets the result.
     *
     * @param files images; read over and over if they are fewer than a round needs
     * @param folder for features and checkpoints, the same for all processes
     */
    public Optional<Result> run(DistributedConfig distributed, List<Path> files, Path folder) throws IOException {
        int images = batch * batches;
        List<Path> wanted = DefaultTraining.repeated(files, images);
        try (ProcessGroup group = ProcessGroup.join(distributed, "cpu");
                Scope scope = Scope.open();
                RandomFeatures backbone = new RandomFeatures()) {
            if (!distributed.leads()) {
                group.meet(); // until the first has filled the cache
            }
            try (SyntheticCache cache = DefaultTraining.cache(folder.resolve("cache"), backbone, wanted);
                    Network network = DefaultTraining.network(backbone);
                    StageTrial alone = DefaultTraining.stage1(batch, network, cache, folder.resolve("run"))) {
                if (distributed.leads()) {
                    group.meet();
                }
                return measure(group, alone, images);
            }
        }
    }

    private Optional<Result> measure(ProcessGroup group, StageTrial alone, int images) {
        StageTrial together = alone.among(group);
        boolean leads = group.distributed().leads();
        Map<String, Timing> timings = new Rounds()
                .withClock(SINGLE_PROCESS, () -> leads ? DefaultTraining.epochMillis(alone) : 0)
                .withClock(TOGETHER, () -> {
                    group.meet();
                    return DefaultTraining.epochMillis(together);
                })
                .run(1, rounds);
        if (!leads) {
            return Optional.empty();
        }
        Timing one = requireNonNull(timings.get(SINGLE_PROCESS));
        Timing all = requireNonNull(timings.get(TOGETHER));
        Engine.Description engine = Engine.describe();
        int processes = group.distributed().size();
        return Optional.of(new Result(
                processes,
                engine.threads(),
                batch,
                images,
                1e3 * images / one.median(),
                1e3 * images / all.median(),
                one.median() / all.median() / processes,
                TARGET,
                together.waitingShare(),
                one,
                all,
                engine.blas()));
    }
}
