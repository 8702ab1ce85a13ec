package io.github.gramian.train.stage.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Single epochs of a stage, run by the same code as in a training, to measure their speed. Networks and backbones belong to
 * the caller and are trained.
 */
public final class StageTrial implements AutoCloseable {

    private static final DistributedTraining SINGLE_PROCESS =
            DistributedTraining.join(DistributedConfig.singleProcess(), "cpu");

    private final Stage stage;
    private final Network network;
    private final @Nullable BackboneParameters backbone;
    private final RunFolder folder;
    private final DistributedTraining processes;
    private final Waiting waiting = new Waiting();

    private StageTrial(
            Stage stage,
            Network network,
            @Nullable BackboneParameters backbone,
            RunFolder folder,
            DistributedTraining processes) {
        int epochs = stage.config().batches().epochs();
        if (epochs != 1) {
            throw new IllegalArgumentException("a trial runs a single epoch, not " + epochs);
        }
        this.stage = stage;
        this.network = network;
        this.backbone = backbone;
        this.folder = folder;
        this.processes = processes;
    }

    /**
     * Stage 1, on features from a cache.
     *
     * @param cache of a network with one scale
     * @param keys contents of the images' files
     * @param labels of the images
     * @param folder for checkpoints; should be empty
     */
    public static StageTrial cached(
            StageConfig config, Network network, FeatureCache cache, List<ContentKey> keys, int[] labels, Path folder) {
        CachedFeatures source = new CachedFeatures(
                NetworkFeatures.of(network.config()), List.of(cache), keys, labels, network.placement(), note -> {});
        return new StageTrial(trial(1, config, source), network, null, new RunFolder(folder), SINGLE_PROCESS);
    }

    /**
     * Stage 2, on image files.
     *
     * @param backbone to train
     * @param images as this backbone sees them
     * @param folder for checkpoints; should be empty
     */
    public static StageTrial live(
            StageConfig config, Network network, Backbone backbone, LiveFeatures images, Path folder) {
        List<String> taps =
                network.config().branches().stream().map(BranchConfig::tap).toList();
        return new StageTrial(
                trial(2, config, images),
                network,
                new BackboneParameters(backbone, taps),
                new RunFolder(folder),
                SINGLE_PROCESS);
    }

    private static Stage trial(int number, StageConfig config, BatchSource images) {
        return new Stage(number, config, images, null, new Seed(1));
    }

    /** The same, in a process group that runs the same trial; the caller closes the group. */
    public StageTrial among(ProcessGroup others) {
        return new StageTrial(stage, network, backbone, folder, new DistributedTraining(others));
    }

    /**
     * Trains one epoch, and returns the seconds that a training would report for it: from the request of the first batch to
     * the last step, without checkpoints and the health check between epochs. Of several processes the first
     * one returns them; the others return 0.
     */
    public double epochSeconds() throws IOException {
        if (processes.leads()) {
            Files.deleteIfExists(folder.last(stage.number())); // or the epoch would count as done
        }
        AtomicReference<@Nullable Double> seconds = new AtomicReference<>();
        TrainingListener watch = event -> {
            if (event instanceof TrainingEvent.Epoch epoch && epoch.epoch() == 1) {
                seconds.set(epoch.seconds());
            } else if (event instanceof TrainingEvent.Step step) {
                waiting.watch(step, processes);
            }
        };
        EventLog log = processes.leads() ? EventLog.open(folder.events(), 0) : EventLog.none();
        StageContext context = new StageContext(watch, log, Duration.ofDays(1), processes);
        new StageRunner(stage, network, backbone, folder, context).run();
        Double measured = seconds.get();
        if (!processes.leads()) {
            return 0;
        }
        if (measured == null) {
            throw new IllegalStateException("the stage ended without an epoch");
        }
        return measured;
    }

    /**
     * The fraction of the time of all epochs so far that was spent waiting for other processes, counted from the end of each
     * first batch, which synchronises processes that start an epoch at different times.
     */
    public double waitingShare() {
        return waiting.seconds == 0 ? 0 : waiting.waited / waiting.seconds;
    }

    private static final class Waiting {
        private double seconds;
        private double waited;
        private double started;
        private double waitedAtStart;

        void watch(TrainingEvent.Step step, DistributedTraining processes) {
            double now = System.nanoTime() / 1e9;
            if (step.batch() == 1) {
                started = now;
                waitedAtStart = processes.secondsWaited();
            }
            if (step.batch() == step.batches()) {
                seconds += now - started;
                waited += processes.secondsWaited() - waitedAtStart;
            }
        }
    }

    @Override
    public void close() {
        if (backbone != null) {
            backbone.close();
        }
    }
}
