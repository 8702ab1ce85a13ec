package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.internal.IndexRange;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The processes of a training, and everything that they exchange. A training uses this class and no other. For a single
 * process, all methods return what they are given. Every method that exchanges something must be called by all processes in
 * the same order.
 *
 * <p>Belongs to one thread.
 */
public final class DistributedTraining implements AutoCloseable {

    private final ProcessGroup group;
    private double seconds;
    private double waited;

    DistributedTraining(ProcessGroup group) {
        this.group = group;
    }

    /**
     * Connects the processes; returns when all have joined.
     *
     * @param device of the tensors that will be exchanged
     */
    public static DistributedTraining join(DistributedConfig processes, String device) {
        return new DistributedTraining(ProcessGroup.join(processes, device));
    }

    /** Refuses a recipe that cannot be sharded before processes wait for each other. */
    public static void requireSharing(Recipe recipe, DistributedConfig processes) {
        requireSharing(recipe.stage1(), "stage1", processes);
        requireSharing(recipe.stage2(), "stage2", processes);
    }

    private static void requireSharing(StageConfig config, String name, DistributedConfig processes) {
        if (!config.runs() || processes.isSingleProcess()) {
            return;
        }
        if (processes.size() > config.batches().batch()) {
            throw new IllegalArgumentException(processes.size() + " processes cannot share batches of "
                    + config.batches().batch() + " images; start at most "
                    + config.batches().batch() + " processes, or raise " + name + ".batch");
        }
        if (config.regularisation().mixup() > 0) {
            throw new IllegalArgumentException(
                    "mixup pairs images of the whole batch, which no single process has; set " + name
                            + ".mixup=0, or train in one process");
        }
    }

    /** Whether this is the process that writes files and decides. */
    public boolean leads() {
        return group.distributed().leads();
    }

    public int size() {
        return group.distributed().size();
    }

    private boolean isSingleProcess() {
        return group.distributed().isSingleProcess();
    }

    /** Refuses to train if inputs differ. Paths may differ from machine to machine; their content may not. */
    public void requireTheSame(Recipe recipe, String dataHash, String weightsHash) {
        if (!isSingleProcess()) {
            requireTheSame("recipe", RecipeFile.text(recipe.on("", "")));
            requireTheSame("images", dataHash);
            requireTheSame("backbone weights", weightsHash);
        }
    }

    private void requireTheSame(String what, String text) {
        long digits = Long.parseLong(Sha256.of(text).substring(0, 12), 16); // 48 bits, which a double holds
        group.firstDifferent((double) digits).ifPresent(rank -> {
            throw new IllegalArgumentException(what + " of process " + rank
                    + " differs from process 0; give all processes the same recipe, images and weights");
        });
    }

    /** Runs a task in the leader while the others wait; heartbeats keep them from timing out. Empty in the others. */
    public <T> Optional<T> onLeader(ProcessGroup.Task<T> task) throws IOException {
        return group.independently(() -> leads() ? Optional.of(task.run()) : Optional.empty());
    }

    /** Runs a task in the leader, then another one in every other process. The result is closed if a process is lost. */
    public <T extends Closeable> T inTurn(ProcessGroup.Task<T> leader, ProcessGroup.Task<T> others) throws IOException {
        Optional<T> own = onLeader(leader);
        try {
            return group.independently(() -> own.isPresent() ? own.get() : others.run());
        } catch (ProcessLostException e) {
            if (own.isPresent()) {
                own.get().close();
            }
            throw e;
        }
    }

    public boolean fromLeader(boolean own) {
        return group.asFirst(own);
    }

    public Optional<String> fromLeader(Optional<String> own) {
        if (isSingleProcess()) {
            return own;
        }
        byte[] bytes = group.broadcast(own.orElse("").getBytes(StandardCharsets.UTF_8));
        return bytes.length == 0 ? Optional.empty() : Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }

    /** Runs a stage, and reports how much of its time was spent waiting for other processes. */
    public Stage.Epochs run(StageRunner runner, Stage stage, TrainingListener listener) throws IOException {
        long start = System.nanoTime();
        double waitedBefore = group.secondsWaited();
        Stage.Epochs epochs = runner.run();
        double took = (System.nanoTime() - start) / 1e9;
        double waitedNow = group.secondsWaited() - waitedBefore;
        seconds += took;
        waited += waitedNow;
        if (leads() && !isSingleProcess()) {
            listener.onEvent(new TrainingEvent.Note(String.format(
                    Locale.ROOT,
                    "stage %d%s, %d processes: %.1f s, %.1f %% of them spent on waiting for each other",
                    stage.number(),
                    stage.onAll() ? " on all images" : "",
                    size(),
                    took,
                    100 * waitedNow / took)));
        }
        return epochs;
    }

    /** Number of processes and their waiting time, for the scores; empty for a single process. */
    public Optional<Map<String, Object>> account() {
        if (isSingleProcess()) {
            return Optional.empty();
        }
        Map<String, Object> account = new LinkedHashMap<>();
        account.put("count", size());
        account.put("secondsTraining", seconds);
        account.put("secondsWaiting", waited);
        account.put("waitingShare", seconds == 0 ? 0 : waited / seconds);
        return Optional.of(account);
    }

    /** Seconds that this process has spent waiting for the others. */
    double secondsWaited() {
        return group.secondsWaited();
    }

    /** The shard of every batch that this process computes. */
    BatchSharding sharding(int batch) {
        return new BatchSharding(group.distributed(), batch);
    }

    /** The exchange of the gradients and means of one batch. */
    BatchAllReduce allReduce(List<Parameter> parameters, boolean steps) {
        return new BatchAllReduce(group, parameters, steps);
    }

    /** The sums of a batch over all processes. */
    StageState.Tally total(StageState.Tally own) {
        double[] all = group.sum(own.lossSum(), (double) own.correct(), (double) own.seen());
        return new StageState.Tally(all[0], (long) all[1], (long) all[2]);
    }

    /** Loss and accuracy on all images, of which each process evaluates its shard. */
    NetworkPredictions evaluate(Network network, BatchSource source, int batchSize) {
        IndexRange share = IndexRange.of(source.count(), group.distributed());
        int[] own = Arrays.copyOfRange(source.inOrder(), share.first(), share.first() + share.count());
        NetworkPredictions part = own.length == 0
                ? new NetworkPredictions(new float[0][], 0, 0)
                : NetworkPredictions.of(network, source, own, batchSize);
        if (isSingleProcess()) {
            return part;
        }
        double[] sums = group.sum(part.loss() * own.length, Math.rint(part.accuracy() * own.length));
        return new NetworkPredictions(part.probabilities(), sums[0] / source.count(), sums[1] / source.count());
    }

    /**
     * What to do after a step.
     *
     * @param cancelled whether any process was cancelled
     * @param saveDue whether the leader wants a checkpoint
     */
    record Votes(boolean cancelled, boolean saveDue) {}

    Votes vote(boolean cancelled, boolean saveDue) {
        double[] votes = group.sum(cancelled ? 1 : 0, saveDue && leads() ? 1 : 0);
        return new Votes(votes[0] > 0, votes[1] > 0);
    }

    boolean anyCancelled(boolean own) {
        return group.any(own);
    }

    /** Gives all processes the weights of the leader. */
    void shareWeights(List<Parameter> parameters) {
        if (!isSingleProcess()) {
            group.broadcast(parameters.stream().map(Parameter::value).toList());
        }
    }

    /** Refuses to save if the weights of two processes differ. */
    void requireEqualWeights(List<Parameter> parameters) throws IOException {
        if (isSingleProcess()) {
            return;
        }
        group.firstDifferent((double) checksum(parameters)).ifPresent(rank -> {
            throw new TrainingException("the weights of process " + rank + " differ from those of process 0; give"
                    + " all processes the same version, BLAS, number of threads and kind of CPU, then start them"
                    + " again: the training continues from its last checkpoint");
        });
    }

    <T> T readFromLeader(Path file, SharedFile.Reader<T> reader) throws IOException {
        return isSingleProcess() ? reader.read(file) : new SharedFile(group).read(file, reader);
    }

    @Override
    public void close() {
        group.close();
    }

    /** A checksum over all bits of some weights: 32 bits that detect machines that round differently, not tampering. */
    private static long checksum(List<Parameter> parameters) throws IOException {
        Checksum sum = new Checksum();
        for (Parameter parameter : parameters) {
            TensorBytes.write(parameter.value(), sum);
        }
        return sum.value();
    }
}
