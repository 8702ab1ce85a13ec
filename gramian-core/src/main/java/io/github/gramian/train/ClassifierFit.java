package io.github.gramian.train;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.tensor.Scope;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Gives a network the classifier that fits its descriptors best in closed form, where that is wanted and better. */
final class ClassifierFit implements AutoCloseable {

    private static final int BATCH = 32;

    private final Network network;
    private final RidgeConfig config;
    private final TrainingListener listener;

    /** The training descriptors of the last fit, for the fit to all images that may follow. */
    private @Nullable KeptRows kept;

    /** Those of the images that chose its penalty, if any did. */
    private @Nullable KeptRows keptJudges;

    ClassifierFit(Network network, RidgeConfig config, TrainingListener listener) {
        this.network = network;
        this.config = config;
        this.listener = listener;
    }

    /**
     * What became of a fit.
     *
     * @param relativeLambda the relative penalty that was chosen if the new classifier stays, otherwise null
     * @param validationAccuracy of the classifier that stays; null without validation images
     */
    record Applied(
            @Nullable Double relativeLambda, @Nullable Double validationAccuracy) {}

    /**
     * Fits to training images and keeps the better classifier; of two that are as good as each other the new one, since it can
     * be fitted to the validation images as well.
     *
     * @param validation chooses between the present classifier and the new one; null takes the new one
     * @param trained whether there is a trained classifier to lose
     */
    Applied apply(int stage, BatchSource training, @Nullable BatchSource validation, Refit refit, boolean trained) {
        if (refit == Refit.NEVER) {
            return new Applied(null, accuracy(validation));
        }
        try (Scope scope = Scope.open()) {
            Parameter weight = network.classifier().parameters().get(0);
            Parameter bias = network.classifier().parameters().get(1);
            Tensor oldWeight = weight.value().clone();
            Tensor oldBias = bias.value().clone();
            Double before = trained ? accuracy(validation) : null;
            boolean enough = validation != null && validation.enoughToChoose();
            RidgeFit fit = fit(training, trained && enough ? validation : null);
            assign(fit);
            Double after = accuracy(validation);
            boolean stays = refit == Refit.ALWAYS
                    || validation == null
                    || before == null
                    || after == null
                    || after >= before - Evaluation.standardError(before, validation.count());
            if (!stays) {
                weight.assign(oldWeight);
                bias.assign(oldBias);
            }
            tell(stage, fit, after, stays);
            return stays ? new Applied(fit.chosen().relativeLambda(), after) : new Applied(null, before);
        }
    }

    private @Nullable Double accuracy(@Nullable BatchSource images) {
        return images == null
                ? null
                : (Double) Evaluation.of(network, images, BATCH).accuracy();
    }

    /**
     * Fits to training and validation images together, with a penalty that was chosen before. The network must be the one
     * that the penalty was chosen for.
     */
    void applyToAll(BatchSource training, BatchSource validation, double relativeLambda) {
        try (Scope scope = Scope.open()) {
            NetworkRows first = new NetworkRows(network, training, BATCH);
            DescriptorRows second = keptJudges == null ? new NetworkRows(network, validation, BATCH) : keptJudges;
            int[] labels = IntStream.concat(IntStream.of(training.labels()), IntStream.of(validation.labels()))
                    .toArray();
            DescriptorRows described = kept == null ? first : kept;
            assign(RidgeClassifier.fit(
                    described.then(second),
                    labels,
                    network.classes(),
                    config.withLambdas(List.of(relativeLambda)),
                    (done, of) -> {}));
        }
    }

    /**
     * Descriptors that were trained know the labels of their own images, so leaving one out says little about new ones:
     * then validation images choose the penalty, where there are enough.
     */
    private RidgeFit fit(BatchSource training, @Nullable BatchSource judges) {
        close();
        NetworkRows rows = new NetworkRows(network, training, BATCH);
        DescriptorRows described = rows;
        if (KeptRows.bytes(rows) <= config.memoryBudget()) {
            kept = KeptRows.of(rows);
            described = kept;
        }
        if (judges == null) {
            return RidgeClassifier.fit(described, training.labels(), network.classes(), config, (done, of) -> {});
        }
        NetworkRows judging = new NetworkRows(network, judges, BATCH);
        DescriptorRows judged = judging;
        if (KeptRows.bytes(rows) + KeptRows.bytes(judging) <= config.memoryBudget()) {
            keptJudges = KeptRows.of(judging);
            judged = keptJudges;
        }
        return RidgeClassifier.fit(
                described,
                training.labels(),
                judged,
                judges.labels(),
                network.classes(),
                false,
                config,
                (done, of) -> {});
    }

    /** The network multiplies scores by its logit scale, so the fit's temperature goes into the weights. */
    private void assign(RidgeFit fit) {
        double factor = fit.temperature() / network.config().logitScale();
        network.classifier().parameters().get(0).assign(fit.weight().mul(scalar(factor)));
        network.classifier().parameters().get(1).assign(fit.bias().mul(scalar(factor)));
    }

    private void tell(int stage, RidgeFit fit, @Nullable Double validationAccuracy, boolean stays) {
        listener.hear(new TrainingEvent.Ridge(
                stage,
                fit.chosen().relativeLambda(),
                fit.chosen().accuracy(),
                fit.temperature(),
                fit.trials().stream()
                        .map(trial -> new TrainingEvent.Ridge.Trial(
                                trial.relativeLambda(), trial.accuracy(), trial.logLoss()))
                        .toList(),
                validationAccuracy,
                stays));
    }

    /** Forgets the descriptors of the last fit. */
    @Override
    public void close() {
        if (kept != null) {
            kept.close();
            kept = null;
        }
        if (keptJudges != null) {
            keptJudges.close();
            keptJudges = null;
        }
    }
}
