package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Forward, backward and exchange of one batch: all that happens between the optimizer's steps. */
final class BatchTraining {

    private final Stage stage;
    private final Network network;
    private final @Nullable BackboneParameters backbone;
    private final BatchSource training;
    private final int batchSize;
    private final DistributedTraining processes;
    private final DistributedTraining.Sharding shares;
    private final SoftmaxCrossEntropy loss;
    private final HealthMonitor monitor;

    /** Of each class. */
    private final double[] weights;

    BatchTraining(
            Stage stage,
            Network network,
            @Nullable BackboneParameters backbone,
            DistributedTraining processes,
            HealthMonitor monitor) {
        this.stage = stage;
        this.network = network;
        this.backbone = backbone;
        this.training = stage.training();
        this.batchSize = stage.config().batches().batch();
        this.processes = processes;
        this.shares = processes.sharding(batchSize);
        this.loss = new SoftmaxCrossEntropy(
                stage.config().regularisation().labelSmoothing(),
                network.config().logitScale());
        this.monitor = monitor;
        this.weights = stage.weights().of(training.labels(), network.classes());
    }

    int count() {
        return (training.count() + batchSize - 1) / batchSize;
    }

    /** Whether the optimizer makes a step after the next batch. */
    boolean stepFollows(StageState state) {
        return (state.batch() + 1) % stage.config().batches().accumulate() == 0 || state.batch() + 1 == count();
    }

    /** The batches of an epoch that are left, or this process's shards of them. */
    BatchSource.Stream open(StageState state, Seed seed) {
        int[] order = stage.order(state.epoch());
        int[] left = Arrays.copyOfRange(order, Math.min(order.length, state.batch() * batchSize), order.length);
        return training.open(shares.of(left), shares.size(), seed);
    }

    /** Adds the gradients of the next batch; returns what this process has seen of it. */
    StageState.Tally run(StageState state, BatchSource.Stream stream, boolean steps, Seed seed) {
        int images = Math.min(batchSize, training.count() - state.batch() * batchSize);
        DistributedTraining.AllReduce exchange = processes.allReduce(network.parameters(), steps);
        StageState.Tally own = shares.countOf(images) > 0
                ? learn(state, stream.next(), shares.phase(seed, images, training.views()), exchange)
                : contributeNothing(exchange);
        if (backbone != null) {
            exchange.gradientsReady(backbone.parameters());
        }
        exchange.finish();
        return own;
    }

    /** Forward and backward over a batch, or over this process's shard of it. */
    private StageState.Tally learn(
            StageState state, BatchSource.Batch batch, Phase phase, DistributedTraining.AllReduce exchange) {
        int[] labels = NetworkPredictions.rowLabels(batch, training.labels(), training.views());
        Tensor truth = HostCopy.labels(labels, network.placement());
        Mixup mixup = Mixup.draw(
                stage.config().regularisation().mixup(),
                labels.length,
                network.placement(),
                phase.seed().child("mixup"));
        Network.Result result = network.forward(mixup.mix(batch.maps()), phase);
        exchange.meansReady();
        SoftmaxCrossEntropy.Result lossResult = lossOf(result.scores(), labels, truth, mixup);
        double value = lossResult.loss().item_double();
        if (!Double.isFinite(value)) {
            throw monitor.diagnose(batch.maps(), stage.number(), state.epoch(), state.step());
        }
        Tensor gradient = lossResult.logitGradient().mul(scalar(shareOfStep(state, batch)));
        batch.backward(mixup.back(result.backward(gradient, exchange::gradientsReady)));
        long right = result.scores()
                .argmax(new LongOptional(1), false)
                .eq(truth)
                .sum()
                .item_long();
        return new StageState.Tally(value * labels.length, right, labels.length);
    }

    private SoftmaxCrossEntropy.Result lossOf(Tensor scores, int[] labels, Tensor truth, Mixup mixup) {
        Tensor targets = loss.targets(scores, truth);
        if (stage.weights() == Weights.NONE) {
            return loss.ofTargets(scores, mixup.mix(targets));
        }
        double[] ofRow =
                IntStream.of(labels).mapToDouble(label -> weights[label]).toArray();
        Tensor column = Placement.of(scores).place(Tensor.create(ofRow)).unsqueeze(1);
        return loss.ofWeightedTargets(scores, mixup.mix(targets.mul_(column)));
    }

    /** The last batch of an epoch may be too small for this process to get an image; it still takes part in the exchange. */
    private StageState.Tally contributeNothing(DistributedTraining.AllReduce exchange) {
        exchange.meansReady();
        network.parts().forEach(exchange::gradientsReady);
        return StageState.Tally.NOTHING;
    }

    /** Losses are means over a batch; those that make one step add up to the mean over all images of the step. */
    private double shareOfStep(StageState state, BatchSource.Batch batch) {
        int accumulate = stage.config().batches().accumulate();
        long perStep = (long) batchSize * accumulate;
        long first = state.batch() / accumulate * perStep;
        return (double) batch.images().length / Math.min(perStep, training.count() - first);
    }

    /**
     * xᵢ ← λxᵢ + (1 − λ)x_π(i) for a random order π of the rows of a batch: images mixed in pairs, and their labels likewise
     * (Zhang et al., mixup). λ is drawn from Beta(α, α) once per batch; the larger part belongs to the row itself, so that
     * the accuracy in training remains meaningful.
     *
     * @param share λ, the weight of a row itself, from ½ to 1
     * @param partners π: [rows]
     */
    record Mixup(double share, Tensor partners) {

        /** The same for the same seed. */
        static Mixup draw(double alpha, int rows, Placement placement, Seed seed) {
            double lambda = alpha == 0 ? 1 : beta(alpha, seed.random());
            return new Mixup(
                    Math.max(lambda, 1 - lambda),
                    seed.child("partners").uniform(placement, rows).argsort());
        }

        /** Jöhnk's method for Beta(α, α): fast for the small α used here. */
        private static double beta(double alpha, SplittableRandom random) {
            while (true) {
                double x = Math.pow(random.nextDouble(), 1 / alpha);
                double y = Math.pow(random.nextDouble(), 1 / alpha);
                if (x + y > 0 && x + y <= 1) {
                    return x / (x + y);
                }
            }
        }

        /** Rows mixed: [rows, …], maps as well as labels as distributions over classes. */
        Tensor mix(Tensor rows) {
            return share == 1 ? rows : combined(rows, partners);
        }

        /** The maps of every branch, mixed. */
        List<Tensor> mix(List<Tensor> maps) {
            return maps.stream().map(this::mix).toList();
        }

        /** Gradients of mixed maps → gradients of the maps: gᵢ ← λgᵢ + (1 − λ)g_π⁻¹(i). */
        List<Tensor> back(List<Tensor> gradients) {
            if (share == 1) {
                return gradients;
            }
            Tensor inverse = partners.argsort();
            return gradients.stream()
                    .map(gradient -> combined(gradient, inverse))
                    .toList();
        }

        private Tensor combined(Tensor rows, Tensor order) {
            Tensor result = rows.mul(scalar(share));
            try (Tensor others = rows.index_select(0, order)) {
                result.add_(others, scalar(1 - share));
            }
            return result;
        }
    }
}
