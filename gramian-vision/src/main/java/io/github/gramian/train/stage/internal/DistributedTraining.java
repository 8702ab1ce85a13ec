package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.internal.IndexRange;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.distributed.internal.ProcessGroup.PendingCollective;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.internal.RunningMean.MeanParameter;
import io.github.gramian.layer.internal.ShardPhase;
import io.github.gramian.layer.internal.ShardPhase.BatchShard;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

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
    Sharding sharding(int batch) {
        return new Sharding(group.distributed(), batch);
    }

    /** The exchange of the gradients and means of one batch. */
    AllReduce allReduce(List<Parameter> parameters, boolean steps) {
        return new AllReduce(group, parameters, steps);
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

    @FunctionalInterface
    interface Reader<T> {
        T read(Path file) throws IOException;
    }

    /** Reads a file of the leader: the other processes get its bytes, so that machines need no directory in common. */
    <T> T readFromLeader(Path file, Reader<T> reader) throws IOException {
        if (isSingleProcess()) {
            return reader.read(file);
        }
        if (leads()) {
            send(file);
            return reader.read(file);
        }
        Path copy = Files.createTempFile("gramian-checkpoint", ".safetensors");
        try {
            receive(copy);
            return reader.read(copy);
        } finally {
            Files.delete(copy);
        }
    }

    private void send(Path file) throws IOException {
        try (Scope scope = Scope.open();
                FileChannel channel = FileChannel.open(file)) {
            group.sum((double) channel.size());
            group.broadcast(List.of(TensorBytes.read(channel, 0, TensorType.U8, channel.size())));
        }
    }

    private void receive(Path copy) throws IOException {
        try (Scope scope = Scope.open();
                FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            Tensor bytes = TensorBytes.allocate(TensorType.U8, (long) group.sum(0)[0]);
            group.broadcast(List.of(bytes));
            TensorBytes.write(bytes, channel);
        }
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

    /**
     * The shard of every batch that this process computes, where all processes of a group train together: the contiguous part
     * that belongs to its rank. A single process takes the whole batch.
     *
     * @param distributed the processes among which batches are sharded
     * @param batch images of a whole batch; the last one of an epoch may have fewer, and none for some ranks
     */
    record Sharding(DistributedConfig distributed, int batch) {

        Sharding {
            if (distributed.size() > batch) {
                throw new IllegalArgumentException(distributed.size() + " processes cannot share batches of " + batch
                        + " images; start at most " + batch + " processes, or raise the batch in the recipe");
            }
        }

        /** Images of a full batch for this process. */
        int size() {
            return IndexRange.of(batch, distributed).count();
        }

        /** The images that this process takes of batches in an order, batch after batch. */
        int[] of(int[] order) {
            if (distributed.isSingleProcess()) {
                return order;
            }
            int[] own = new int[order.length];
            int taken = 0;
            for (int start = 0; start < order.length; start += batch) {
                IndexRange share = IndexRange.of(Math.min(batch, order.length - start), distributed);
                System.arraycopy(order, start + share.first(), own, taken, share.count());
                taken += share.count();
            }
            return Arrays.copyOf(own, taken);
        }

        /** Number of images that this process takes of a batch. */
        int countOf(int images) {
            return IndexRange.of(images, distributed).count();
        }

        /** The training phase for this process's shard of a batch, which has at least one image. */
        Phase phase(Seed seed, int images, int views) {
            if (distributed.isSingleProcess()) {
                return Phase.training(seed);
            }
            IndexRange share = IndexRange.of(images, distributed);
            return new ShardPhase(
                    seed,
                    new BatchShard((long) share.first() * views, (long) share.count() * views, (long) images * views));
        }
    }

    /**
     * The all-reduce of a batch: the shards' means, then gradients bucket by bucket, each exchanged while the gradients of
     * earlier layers are still being computed. The means lag one batch, so that no process waits for them in the forward pass.
     *
     * <p>A process without images in the batch contributes zeros, or the gradients of earlier batches of the
     * step.
     */
    static final class AllReduce {

        private final ProcessGroup group;
        private final boolean steps;
        private final List<MeanParameter> means;
        private final List<PendingCollective> running = new ArrayList<>();

        /**
         * @param parameters all of the network
         * @param steps whether a step follows this batch; otherwise gradients remain in place, to be added to
         */
        AllReduce(ProcessGroup group, List<Parameter> parameters, boolean steps) {
            this.group = group;
            this.steps = steps;
            this.means = group.distributed().isSingleProcess()
                    ? List.of()
                    : parameters.stream()
                            .filter(MeanParameter.class::isInstance)
                            .map(MeanParameter.class::cast)
                            .toList();
        }

        /** The forward computation is over. */
        void meansReady() {
            if (!means.isEmpty()) {
                running.add(group.sum(means.stream().map(Parameter::gradient).toList()));
            }
        }

        /** The gradients of these parameters are complete. */
        void gradientsReady(List<Parameter> parameters) {
            if (steps && !group.distributed().isSingleProcess()) {
                running.add(group.sum(parameters.stream()
                        .filter(Parameter::trainable)
                        .map(Parameter::gradient)
                        .toList()));
            }
        }

        /** Returns when parameters have the gradients and means of the whole batch. */
        void finish() {
            running.forEach(PendingCollective::await);
            means.forEach(MeanParameter::foldIn);
        }
    }
}
