package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.model.Network;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.optim.internal.Plateau;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.Evaluation;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.stage.internal.StageState.Tally;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * One stage of gradient descent (Algorithm 1): batches in a new order each epoch, validation after each epoch, the best
 * weights kept, a checkpoint now and then. A stage that was killed at any moment and resumed from its checkpoint ends with
 * the weights of an uninterrupted one.
 */
public final class StageRunner {

    private final Stage given;
    private final int stage;
    private final StageConfig config;
    private final int batchSize;
    private final Network network;
    private final @Nullable BackboneParameters backbone;
    private final BatchSource training;
    private final @Nullable BatchSource validation;
    private final StageContext context;
    private final ProcessGroup group;
    private final BatchSharding shares;
    private final StageFiles files;
    private final List<Parameter> parameters;
    private final SoftmaxCrossEntropy loss;
    private final HealthMonitor monitor;
    private final StageRates rates;
    private long lastSaved = System.nanoTime();
    private long epochStart;
    private long seenBefore;

    /** NaN without validation images. */
    private double lastValidationLoss = Double.NaN;

    /** @param backbone what of it learns; null when it is frozen */
    public StageRunner(
            Stage given,
            Network network,
            @Nullable BackboneParameters backbone,
            RunFolder folder,
            StageContext context) {
        this.given = given;
        this.stage = given.number();
        this.config = given.config();
        this.batchSize = config.batches().batch();
        this.network = network;
        this.backbone = backbone;
        this.training = given.training();
        this.validation = given.validation();
        this.context = context;
        this.group = context.group();
        this.shares = new BatchSharding(group.distributed(), batchSize);
        this.files = new StageFiles(folder, given, group, context.inputs());
        this.parameters = Stream.concat(
                        network.parameters().stream(),
                        backbone == null ? Stream.empty() : backbone.parameters().stream())
                .toList();
        this.loss = new SoftmaxCrossEntropy(
                config.regularisation().labelSmoothing(), network.config().logitScale());
        this.monitor = new HealthMonitor(network, parameters);
        this.rates = new StageRates(
                config, training.count(), network.branches().size(), backbone == null ? Map.of() : backbone.depths());
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
            StageState state = files.begun() ? files.restore(parameters, descent) : start(descent);
            while (!state.finished()) {
                state = endEpoch(epoch(state, descent), descent);
                stopIfCancelled();
            }
            if (given.keepsBest()) {
                files.restoreBest(parameters);
            } else {
                descent.keepMeans();
            }
            return state.kept(given.keepsBest());
        }
    }

    private StageState start(AveragedDescent descent) throws IOException {
        if (!group.distributed().isSingleProcess()) {
            files.share(parameters);
        }
        StageState start =
                StageState.start(stage, config.pace().patience(), context.log().lines());
        epochStart = System.nanoTime();
        descent.begin();
        StageState validated = validate(start, descent, 0);
        save(validated, descent);
        return validated;
    }

    private StageState epoch(StageState from, AveragedDescent descent) throws IOException {
        StageState state = from;
        int[] order = given.order(state.epoch());
        int batches = batches();
        int[] left = Arrays.copyOfRange(order, Math.min(order.length, state.batch() * batchSize), order.length);
        Seed epochSeed = given.seed().child(stage).child(state.epoch());
        epochStart = System.nanoTime();
        seenBefore = state.seen();
        descent.clearGradients();
        try (BatchSource.Stream stream = training.open(shares.of(left), shares.size(), epochSeed)) {
            while (state.batch() < batches) {
                boolean steps =
                        (state.batch() + 1) % config.batches().accumulate() == 0 || state.batch() + 1 == batches;
                state = batch(state, stream, descent, steps, epochSeed.child(state.batch()));
                tell(state, batches);
                // After the last batch the end of the epoch saves: a checkpoint before it would lose the last
                // gradients.
                if (steps && state.batch() < batches) {
                    saveIfDue(state, descent);
                }
            }
        }
        return state;
    }

    private int batches() {
        return (training.count() + batchSize - 1) / batchSize;
    }

    private StageState batch(
            StageState state, BatchSource.Stream stream, AveragedDescent descent, boolean steps, Seed batchSeed) {
        int images = Math.min(batchSize, training.count() - state.batch() * batchSize);
        try (Scope scope = Scope.open()) {
            BatchAllReduce exchange = new BatchAllReduce(group, network.parameters(), steps);
            Tally own = shares.countOf(images) > 0
                    ? learn(state, stream.next(), shares.phase(batchSeed, images, training.views()), exchange)
                    : contributeNothing(exchange);
            if (backbone != null) {
                exchange.gradientsReady(backbone.parameters());
            }
            exchange.finish();
            if (steps) {
                descent.step(rates.factor(state), state.step());
                lastGradients(descent, state);
            }
            double[] all = group.sum(own.lossSum(), (double) own.correct(), (double) own.seen());
            return state.afterBatch(steps, new Tally(all[0], (long) all[1], (long) all[2]));
        }
    }

    /** Forward and backward over a batch, or over this process's shard of it. */
    private Tally learn(StageState state, BatchSource.Batch batch, Phase phase, BatchAllReduce exchange) {
        int[] labels = Evaluation.rowLabels(batch, training.labels(), training.views());
        Tensor truth = HostCopy.labels(labels, network.placement());
        Mixup mixup = Mixup.draw(
                config.regularisation().mixup(),
                labels.length,
                network.placement(),
                phase.seed().child("mixup"));
        Network.Result result = network.forward(mixup.mix(batch.maps()), phase);
        exchange.meansReady();
        SoftmaxCrossEntropy.Result lossResult =
                loss.ofTargets(result.scores(), mixup.mix(loss.targets(result.scores(), truth)));
        double value = lossResult.loss().item_double();
        if (!Double.isFinite(value)) {
            throw monitor.diagnose(batch.maps(), stage, state.epoch(), state.step());
        }
        Tensor gradient = lossResult.logitGradient().mul(scalar(shareOfStep(state, batch)));
        batch.backward(mixup.back(result.backward(gradient, exchange::gradientsReady)));
        long right = result.scores()
                .argmax(new LongOptional(1), false)
                .eq(truth)
                .sum()
                .item_long();
        return new Tally(value * labels.length, right, labels.length);
    }

    /** The last batch of an epoch may be too small for this process to get an image; it still takes part in the exchange. */
    private Tally contributeNothing(BatchAllReduce exchange) {
        exchange.meansReady();
        network.parts().forEach(exchange::gradientsReady);
        return Tally.NOTHING;
    }

    /** Losses are means over a batch; those that make one step add up to the mean over all images of the step. */
    private double shareOfStep(StageState state, BatchSource.Batch batch) {
        long perStep = (long) batchSize * config.batches().accumulate();
        long first = state.batch() / config.batches().accumulate() * perStep;
        return (double) batch.images().length / Math.min(perStep, training.count() - first);
    }

    /** Gradients stay readable for the monitor after an epoch's last step; before the next batch they are cleared. */
    private void lastGradients(AveragedDescent descent, StageState state) {
        if (state.batch() + 1 < batches()) {
            descent.clearGradients();
        }
    }

    private StageState endEpoch(StageState state, AveragedDescent descent) throws IOException {
        StageState validated = validate(state, descent, state.epoch());
        boolean over = state.epoch() >= given.epochs()
                || (config.pace().stopAfter() > 0
                        && validation != null
                        && state.epoch() - validated.best().bestEpoch()
                                >= config.pace().stopAfter());
        StageState next = validated.nextEpoch(observed(validated), context.log().lines());
        StageState saved = over ? next.done() : next;
        save(saved, descent);
        return saved;
    }

    /** The schedule of the next epoch; on all images that which validation images have led to before. */
    private Plateau observed(StageState state) {
        if (given.chosen() != null && state.epoch() < given.epochs()) {
            return state.plateau().withRate(given.chosen().plateau().get(state.epoch()));
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
        double seconds = (System.nanoTime() - epochStart) / 1e9;
        Health health = group.distributed().leads() ? monitor.examine(given, state) : null;
        try (AveragedDescent.Means means = descent.means()) {
            return validate(state, epoch, seconds, health);
        }
    }

    private StageState validate(StageState state, int epoch, double seconds, @Nullable Health health)
            throws IOException {
        Evaluation found = validation == null ? null : Evaluation.among(group, network, validation, batchSize);
        lastValidationLoss = found == null ? Double.NaN : found.loss();
        boolean byError = validation != null && validation.enoughToChoose();
        boolean best = found == null || state.isBetter(1 - found.accuracy(), found.loss(), byError);
        boolean counts = epoch > 0 || !startsWithoutClassifier();
        StageState validated = best
                ? state.withBest(
                        found != null && counts ? 1 - found.accuracy() : Double.POSITIVE_INFINITY,
                        found != null && counts ? found.loss() : Double.POSITIVE_INFINITY,
                        epoch)
                : state;
        if (health != null) {
            context.listener()
                    .onEvent(new TrainingEvent.Epoch(
                            stage,
                            given.onAll(),
                            epoch,
                            state.step(),
                            rates.factor(state),
                            epoch == 0 ? null : (Double) state.tally().loss(),
                            epoch == 0 ? null : (Double) state.tally().accuracy(),
                            found == null ? null : (Double) found.loss(),
                            found == null ? null : (Double) found.accuracy(),
                            epoch == 0 ? 0 : (state.seen() - seenBefore) / seconds,
                            seconds,
                            best,
                            health));
        }
        StageState logged = validated.withEvents(context.log().lines());
        if (best && given.keepsBest()) {
            files.saveBest(parameters, logged);
        }
        return logged;
    }

    /** Whether the classifier is all zeros. It names the first class for every image, so any epoch is better than the start. */
    private boolean startsWithoutClassifier() {
        try (Scope scope = Scope.open()) {
            return network.classifier().weight().value().count_nonzero().item_long() == 0;
        }
    }

    private void saveIfDue(StageState state, AveragedDescent descent) throws IOException {
        boolean due = System.nanoTime() - lastSaved >= context.checkpointEvery().toNanos();
        double[] votes = group.sum(
                context.cancellation().isCancelled() ? 1 : 0,
                due && group.distributed().leads() ? 1 : 0);
        boolean stop = votes[0] > 0;
        if (stop || votes[1] > 0) {
            save(state, descent);
        }
        if (stop) {
            throw context.cancellation().cancelled();
        }
    }

    private void stopIfCancelled() {
        if (group.any(context.cancellation().isCancelled())) {
            throw context.cancellation().cancelled();
        }
    }

    private void save(StageState state, AveragedDescent descent) throws IOException {
        files.save(parameters, descent, state);
        lastSaved = System.nanoTime();
    }

    private void tell(StageState state, int batches) {
        double seconds = (System.nanoTime() - epochStart) / 1e9;
        double speed = (state.seen() - seenBefore) / seconds;
        long imagesLeft =
                (long) training.count() * training.views() * (given.epochs() - state.epoch() + 1) - state.seen();
        context.listener()
                .onEvent(new TrainingEvent.Step(
                        stage,
                        given.onAll(),
                        state.epoch(),
                        given.epochs(),
                        state.batch(),
                        batches,
                        state.tally().loss(),
                        state.tally().accuracy(),
                        speed,
                        imagesLeft / speed));
    }
}
