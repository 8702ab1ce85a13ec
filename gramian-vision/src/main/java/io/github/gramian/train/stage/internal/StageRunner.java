package io.github.gramian.train.stage.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.optim.internal.Plateau;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One stage of gradient descent (Algorithm 1): batches in a new order each epoch, validation after each epoch, the best
 * weights saved, a checkpoint now and then. A stage that was killed at any moment and resumed from its checkpoint ends with
 * the weights of an uninterrupted one.
 */
public final class StageRunner {

    private final Stage stage;
    private final StageConfig config;
    private final Network network;
    private final StageContext context;
    private final DistributedTraining processes;
    /** The newest checkpoint. The leader has the files, and the other processes read them through it. */
    private final Path last;

    /** The best weights so far. */
    private final Path best;

    private final List<Parameter> parameters;
    private final HealthMonitor monitor;
    private final StageRates rates;
    private final BatchTraining batches;
    private long epochStart;

    /** Views of the epoch that were trained on before it was resumed. */
    private long seenBefore;

    private long lastSaved = System.nanoTime();

    /** NaN without validation images. */
    private double lastValidationLoss = Double.NaN;

    /** @param backbone its trainable weights; null if it is frozen */
    public StageRunner(
            Stage stage,
            Network network,
            @Nullable BackboneParameters backbone,
            RunFolder folder,
            StageContext context) {
        this.stage = stage;
        this.config = stage.config();
        this.network = network;
        this.context = context;
        this.processes = context.processes();
        this.last = stage.onAll() ? folder.lastOnAll(stage.number()) : folder.last(stage.number());
        this.best = folder.best(stage.number());
        this.parameters = Stream.concat(
                        network.parameters().stream(),
                        backbone == null ? Stream.empty() : backbone.parameters().stream())
                .toList();
        this.monitor = new HealthMonitor(network, parameters);
        this.rates = new StageRates(
                config,
                stage.training().count(),
                network.branches().size(),
                backbone == null ? Map.of() : backbone.depths());
        this.batches = new BatchTraining(stage, network, backbone, processes, monitor);
    }

    /**
     * Trains to the end, from the checkpoint if there is one, and ends with the selected weights in the network.
     *
     * @return the epochs that have led to them
     */
    public Stage.Epochs run() throws IOException {
        try (AveragedDescent descent = new AveragedDescent(
                new RiemannianSgd(rates.groups(parameters), config.momentum()),
                parameters,
                config.regularisation().ema())) {
            boolean started = processes.fromLeader(processes.leads() && Files.exists(last));
            StageState state = started
                    ? processes.readFromLeader(
                            last, file -> Checkpoint.read(file, parameters, descent, context.inputs()))
                    : start(descent);
            while (!state.finished()) {
                state = endEpoch(epoch(state, descent), descent);
                stopIfCancelled();
            }
            if (stage.keepsBest()) {
                processes.readFromLeader(best, file -> Checkpoint.readParameters(file, parameters, context.inputs()));
            } else {
                descent.keepMeans();
            }
            return state.epochs(stage.keepsBest());
        }
    }

    private StageState start(AveragedDescent descent) throws IOException {
        processes.shareWeights(parameters);
        StageState start = StageState.start(
                stage.number(), config.pace().patience(), context.log().lines());
        startClock(0);
        descent.begin();
        StageState validated = validate(start, descent, 0);
        save(validated, descent);
        return validated;
    }

    private StageState epoch(StageState from, AveragedDescent descent) throws IOException {
        StageState state = from;
        Seed epochSeed = stage.seed().child(stage.number()).child(state.epoch());
        startClock(state.seen());
        descent.clearGradients();
        try (BatchSource.Stream stream = batches.open(state, epochSeed)) {
            while (state.batch() < batches.count()) {
                boolean steps = batches.stepFollows(state);
                state = batch(state, stream, descent, epochSeed);
                reportStep(state, batches.count());
                // After the last batch the end of the epoch saves: a checkpoint before it would lose the last
                // gradients.
                if (steps && state.batch() < batches.count()) {
                    saveIfDue(state, descent);
                }
            }
        }
        return state;
    }

    private StageState batch(StageState state, BatchSource.Stream stream, AveragedDescent descent, Seed epochSeed) {
        boolean steps = batches.stepFollows(state);
        try (Scope scope = Scope.open()) {
            StageState.Tally own = batches.run(state, stream, steps, epochSeed.child(state.batch()));
            if (steps) {
                descent.step(rates.factor(state), state.step());
                // Gradients remain readable for the monitor after an epoch's last step.
                if (state.batch() + 1 < batches.count()) {
                    descent.clearGradients();
                }
            }
            return state.afterBatch(steps, processes.total(own));
        }
    }

    private StageState endEpoch(StageState state, AveragedDescent descent) throws IOException {
        StageState validated = validate(state, descent, state.epoch());
        StageState next = validated.nextEpoch(observed(validated), context.log().lines());
        StageState saved = isOver(validated) ? next.done() : next;
        save(saved, descent);
        return saved;
    }

    /** Whether an epoch was the last one: of all, or of too many in a row that were not better. */
    private boolean isOver(StageState validated) {
        int stopAfter = config.pace().stopAfter();
        return validated.epoch() >= stage.epochs()
                || (stopAfter > 0
                        && stage.validation() != null
                        && validated.epoch() - validated.best().bestEpoch() >= stopAfter);
    }

    /** The schedule of the next epoch; in the final retraining, the one that validation images have led to before. */
    private Plateau observed(StageState state) {
        if (stage.chosen() != null && state.epoch() < stage.epochs()) {
            return state.plateau().withRate(stage.chosen().plateau().get(state.epoch()));
        }
        return Double.isNaN(lastValidationLoss)
                ? state.plateau()
                : state.plateau().observe(lastValidationLoss);
    }

    /**
     * Validates, saves the weights if they are the best, and sends an event. Without validation images the last are the
     * best. Means of weights are validated instead of the weights, if there are any.
     *
     * @param epoch that is over, 0 for none
     */
    private StageState validate(StageState state, AveragedDescent descent, int epoch) throws IOException {
        double seconds = epochSeconds();
        Health health = processes.leads() ? monitor.examine(stage, state) : null;
        try (AveragedDescent.Means means = descent.means()) {
            return validate(state, epoch, seconds, health);
        }
    }

    /**
     * Validates these weights.
     *
     * @param seconds that the epoch took, without validation
     * @param health of the network; null in processes that send no events
     */
    private StageState validate(StageState state, int epoch, double seconds, @Nullable Health health)
            throws IOException {
        BatchSource validation = stage.validation();
        NetworkPredictions found = validation == null
                ? null
                : processes.evaluate(network, validation, config.batches().batch());
        lastValidationLoss = found == null ? Double.NaN : found.loss();
        boolean byError = validation != null && validation.enoughToChoose();
        boolean better = found == null || state.isBetter(1 - found.accuracy(), found.loss(), byError);
        boolean counts = epoch > 0 || !startsWithoutClassifier();
        StageState validated = better
                ? state.withBest(
                        found != null && counts ? 1 - found.accuracy() : Double.POSITIVE_INFINITY,
                        found != null && counts ? found.loss() : Double.POSITIVE_INFINITY,
                        epoch)
                : state;
        if (health != null) {
            boolean start = epoch == 0;
            context.listener()
                    .onEvent(new TrainingEvent.Epoch(
                            stage.number(),
                            stage.onAll(),
                            epoch,
                            state.step(),
                            rates.factor(state),
                            start ? null : (Double) state.tally().loss(),
                            start ? null : (Double) state.tally().accuracy(),
                            found == null ? null : (Double) found.loss(),
                            found == null ? null : (Double) found.accuracy(),
                            start ? 0 : (state.seen() - seenBefore) / seconds,
                            seconds,
                            better,
                            health));
        }
        StageState logged = validated.withEvents(context.log().lines());
        if (better && stage.keepsBest() && processes.leads()) {
            Checkpoint.write(best, parameters, Map.of(), logged, context.inputs());
        }
        return logged;
    }

    private void startClock(long seen) {
        epochStart = System.nanoTime();
        seenBefore = seen;
    }

    /** Seconds since the epoch was started. */
    private double epochSeconds() {
        return (System.nanoTime() - epochStart) / 1e9;
    }

    private void reportStep(StageState state, int batchCount) {
        double speed = (state.seen() - seenBefore) / epochSeconds();
        long imagesLeft =
                (long) stage.training().count() * stage.training().views() * (stage.epochs() - state.epoch() + 1)
                        - state.seen();
        context.listener()
                .onEvent(new TrainingEvent.Step(
                        stage.number(),
                        stage.onAll(),
                        state.epoch(),
                        stage.epochs(),
                        state.batch(),
                        batchCount,
                        state.tally().loss(),
                        state.tally().accuracy(),
                        speed,
                        imagesLeft / speed));
    }

    /** Whether the classifier is all zeros. It names the first class for every image, so any epoch is better than the start. */
    private boolean startsWithoutClassifier() {
        try (Scope scope = Scope.open()) {
            return network.classifier().weight().value().count_nonzero().item_long() == 0;
        }
    }

    private void saveIfDue(StageState state, AveragedDescent descent) throws IOException {
        boolean due = System.nanoTime() - lastSaved >= context.checkpointEvery().toNanos();
        DistributedTraining.Votes votes = processes.vote(context.cancellation().isCancelled(), due);
        if (votes.cancelled() || votes.saveDue()) {
            save(state, descent);
        }
        if (votes.cancelled()) {
            throw context.cancellation().cancelled();
        }
    }

    private void stopIfCancelled() {
        if (processes.anyCancelled(context.cancellation().isCancelled())) {
            throw context.cancellation().cancelled();
        }
    }

    private void save(StageState state, AveragedDescent descent) throws IOException {
        processes.requireEqualWeights(parameters);
        if (processes.leads()) {
            Checkpoint.write(last, parameters, descent.state(), state, context.inputs());
        }
        lastSaved = System.nanoTime();
    }

    /**
     * Context of a stage that does not change its result, except for the order of additions with several processes.
     *
     * @param listener receives all events, the log included
     * @param log stores epochs and fits
     * @param cancellation checked after every step
     * @param checkpointEvery time between checkpoints within an epoch
     * @param processes that train together
     * @param inputs hashes of the inputs of the run, by name; checkpoints store them and are refused if they differ
     */
    public record StageContext(
            TrainingListener listener,
            EventLog log,
            CancellationToken cancellation,
            Duration checkpointEvery,
            DistributedTraining processes,
            Map<String, String> inputs) {

        public StageContext {
            inputs = Map.copyOf(inputs);
        }

        /** For a stage by itself, which is given no files. */
        StageContext(TrainingListener listener, EventLog log, Duration checkpointEvery, DistributedTraining processes) {
            this(listener, log, CancellationToken.never(), checkpointEvery, processes, Map.of());
        }
    }

    /**
     * Learning rates of a stage: a rate for each {@linkplain Parameter.Role role} of a parameter, times a factor that all share and
     * that changes from step to step.
     *
     * @param images training images
     * @param branches of the network. Each brings the classifier a descriptor of length one, and the loss curves along the
     *     classifier's weights in proportion to the square of the whole length: its rate is divided by it.
     * @param depths of the backbone's parameters, by name: how many trained blocks lie between one and the features, 0 for the last.
     *     The rate of the backbone is multiplied by {@code layerDecay} once for each.
     */
    record StageRates(StageConfig config, int images, int branches, Map<String, Integer> depths) {

        StageRates {
            depths = Map.copyOf(depths);
        }

        /** With a frozen backbone. */
        StageRates(StageConfig config, int images, int branches) {
            this(config, images, branches, Map.of());
        }

        /** The factor of all learning rates for the next step. */
        double factor(StageState state) {
            double scheduled = switch (config.pace().schedule()) {
                case CONSTANT -> 1;
                case COSINE -> 0.5 * (1 + Math.cos(Math.PI * Math.min(1.0, (double) state.step() / steps())));
                case PLATEAU -> state.plateau().rate();
            };
            double warm = config.pace().warmUp() == 0
                    ? 1
                    : Math.min(1, (state.step() + 1.0) / (config.pace().warmUp() + 1));
            return scheduled * warm;
        }

        /** Optimizer steps of the whole stage. */
        private long steps() {
            long imagesPerStep =
                    (long) config.batches().batch() * config.batches().accumulate();
            long perEpoch = Math.max(1, (images + imagesPerStep - 1) / imagesPerStep);
            return Math.max(1, perEpoch * config.batches().epochs());
        }

        /** Every parameter with the rate, clip and decay of its role. */
        List<ParameterGroup> groups(List<Parameter> parameters) {
            return parameters.stream().map(this::group).toList();
        }

        private ParameterGroup group(Parameter parameter) {
            StageConfig.Rates rates = config.rates();
            ParameterGroup group = ParameterGroup.of(List.of(parameter));
            return switch (parameter.role()) {
                case CLASSIFIER ->
                    group.withRateFactor(rates.classifier() / branches)
                            .withWeightDecay(config.regularisation().weightDecay());
                case CLASSIFIER_BIAS -> group.withRateFactor(rates.bias());
                case TRANSFORM -> group.withRateFactor(rates.transform()).withClip(rates.transformClip());
                case BACKBONE ->
                    group.withRateFactor(rates.backbone()
                                    * Math.pow(rates.layerDecay(), depths.getOrDefault(parameter.name(), 0)))
                            .withClip(rates.backboneClip())
                            .withWeightDecay(config.regularisation().weightDecay());
                case CONVOLUTION, CODEBOOK ->
                    group.withRateFactor(rates.convolution())
                            .withClip(rates.convolutionClip())
                            .withWeightDecay(config.regularisation().weightDecay());
                case STATISTIC -> group; // a group without parameters: nothing moves it
            };
        }
    }
}
