package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.eval.conformal.internal.PredictionSets;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.descriptor.internal.CachedDescriptors;
import io.github.gramian.train.descriptor.internal.DescriptorFile;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Fits the classifier of a network in closed form, uses the fit if it is better, and calibrates its probabilities. */
public final class ClassifierFit {

    private final Network network;
    private final RidgeConfig config;
    private final ClosedForm closedForm;
    private final TrainingListener listener;
    private final Calibration calibration;
    private final CancellationToken cancellation;

    /** @param cancellation checked whenever a long fit reports its progress */
    public ClassifierFit(
            Network network,
            RidgeConfig config,
            ClosedForm closedForm,
            TrainingListener listener,
            CancellationToken cancellation) {
        this.network = network;
        this.config = config;
        this.closedForm = closedForm;
        this.listener = listener;
        this.cancellation = cancellation;
        this.calibration = new Calibration(network, config, listener);
    }

    /**
     * The result of a fit.
     *
     * @param relativeLambda the relative penalty that was chosen if the new classifier is used, otherwise null
     * @param temperature of the probabilities of the classifier that is used, if validation images chose it; null if images
     *     that were left out choose it, or if there are too few images to choose
     * @param validationAccuracy of the classifier that is used; null without validation images
     * @param calibration by which the coverage of sets of classes is calibrated; null if no image can tell
     */
    public record Applied(
            @Nullable Double relativeLambda,
            @Nullable Double temperature,
            @Nullable Double validationAccuracy,
            @Nullable SetScores calibration) {

        /** The same with other scores for the coverage of sets. */
        Applied with(@Nullable SetScores scores) {
            return new Applied(relativeLambda, temperature, validationAccuracy, scores);
        }

        /** Whether a classifier in closed form is used. */
        public boolean fitted() {
            return relativeLambda != null;
        }
    }

    /**
     * Fits to training images and keeps the better classifier; of two that are as good as each other the new one, since it
     * can be fitted to the validation images as well. If there are too few validation images to decide, the new one is used, too.
     *
     * @param validation selects between the present classifier and the new one; null takes the new one
     * @param trained whether there is a trained classifier to lose
     */
    public FittedClassifier apply(
            int stage, BatchSource training, @Nullable BatchSource validation, Refit refit, boolean trained) {
        if (refit == Refit.NEVER) {
            return new FittedClassifier(
                    trained(accuracy(predictions(validation)), training, validation), new FitDescriptors());
        }
        FitDescriptors descriptors = new FitDescriptors();
        try (Scope scope = Scope.open()) {
            Parameter weight = network.classifier().weight();
            Parameter bias = network.classifier().bias();
            Tensor oldWeight = weight.value().clone();
            Tensor oldBias = bias.value().clone();
            Double before = trained ? accuracy(predictions(validation)) : null;
            boolean enough = validation != null && validation.enoughToChoose();
            boolean leavesOut = closedForm.method().leavesOut();
            RidgeFit fit = fit(descriptors, training, enough && (trained || !leavesOut) ? validation : null);
            boolean calibrates = Calibration.canChoose(validation);
            Double temperature = trained && validation != null && calibrates
                    ? (Double) (enough ? fit.temperature() : calibration.chosenBy(validation, fit, weights(training)))
                    : leavesOut ? null : (Double) fit.temperature();
            double factor = temperature == null ? calibration.leftOut(fit, training.count()) : temperature;
            assign(fit, factor);
            NetworkPredictions validated = predictions(validation);
            Double after = accuracy(validated);
            boolean used = refit == Refit.ALWAYS
                    || validation == null
                    || !calibrates
                    || before == null
                    || after == null
                    || after >= before - NetworkPredictions.standardError(before, validation.count());
            report(stage, fit, factor, after, used);
            if (used) {
                if (temperature == null) {
                    calibration.noteFew(training.count() + (validation == null ? 0 : validation.count()));
                }
                SetScores calibrating = trained || (!leavesOut && validation != null)
                        ? validated(validated, validation)
                        : fit.heldOut().leftOut(factor);
                return new FittedClassifier(
                        new Applied(fit.chosen().relativeLambda(), temperature, after, calibrating), descriptors);
            }
            weight.assign(oldWeight);
            bias.assign(oldBias);
            descriptors.close();
            return new FittedClassifier(trained(before, training, validation), descriptors);
        } catch (RuntimeException failure) {
            descriptors.close();
            throw failure;
        }
    }

    /**
     * Uses the trained classifier. Mixup and smoothed labels leave its probabilities too small, memorised images too large.
     * If there are enough validation images, they correct that.
     */
    private Applied trained(@Nullable Double accuracy, BatchSource training, @Nullable BatchSource validation) {
        Double temperature = validation == null ? null : calibration.ofTrained(validation, weights(training));
        Applied applied = new Applied(null, temperature, accuracy, null);
        calibrate(applied);
        return applied.with(validated(predictions(validation), validation));
    }

    /** Gives a trained classifier the temperature that validation images chose for it, where they did. */
    public void calibrate(Applied chosen) {
        if (chosen.temperature() != null) {
            try (Scope scope = Scope.open()) {
                for (Parameter parameter : network.classifier().parameters()) {
                    parameter.assign(parameter.value().mul(scalar(chosen.temperature())));
                }
            }
        }
    }

    private @Nullable NetworkPredictions predictions(@Nullable BatchSource images) {
        return images == null ? null : NetworkPredictions.of(network, images, NetworkPredictions.BATCH);
    }

    /** Scores for the coverage of sets, from validation images as the network with its final factor predicts them. */
    private static @Nullable SetScores validated(
            @Nullable NetworkPredictions predictions, @Nullable BatchSource validation) {
        return predictions == null || validation == null
                ? null
                : PredictionSets.calibration(
                        SetScores.Source.VALIDATION, predictions.trueProbabilities(validation.labels()));
    }

    private static @Nullable Double accuracy(@Nullable NetworkPredictions predictions) {
        return predictions == null ? null : (Double) predictions.accuracy();
    }

    /**
     * Fits to training and validation images together, with a penalty that was chosen before, and a temperature where
     * it was chosen on validation images. The network must be the one that they were chosen for.
     *
     * @param fitted an earlier fit of the same network, whose descriptors are used again; null if there is none
     * @return what was chosen, with scores for the coverage of sets by the new classifier
     */
    public Applied applyToAll(
            BatchSource training, BatchSource validation, Applied chosen, @Nullable FittedClassifier fitted) {
        double relativeLambda = Objects.requireNonNull(chosen.relativeLambda());
        try (Scope scope = Scope.open()) {
            FitDescriptors stored = fitted == null ? new FitDescriptors() : fitted.descriptors();
            LabelledRows all = labelled(stored.training(), training).then(labelled(stored.validation(), validation));
            RidgeFit fit =
                    classifier(config.withLambdas(List.of(relativeLambda))).again(all, chosen.temperature());
            double factor =
                    chosen.temperature() == null ? calibration.leftOut(fit, all.labels().length) : chosen.temperature();
            assign(fit, factor);
            return chosen.with(fit.heldOut().replacing(chosen.calibration(), factor, training.count()));
        }
    }

    /**
     * Trained descriptors have seen the labels of their own images, so leave-one-out is too optimistic:
     * then validation images select the penalty, where there are enough.
     */
    private RidgeFit fit(FitDescriptors descriptors, BatchSource training, @Nullable BatchSource validation) {
        NetworkDescriptors rows = new NetworkDescriptors(network, training, NetworkPredictions.BATCH);
        descriptors.storeTraining(stored(rows, 0));
        if (validation == null) {
            return classifier(config).leavingOut(labelled(descriptors.training(), training));
        }
        descriptors.storeValidation(
                stored(new NetworkDescriptors(network, validation, NetworkPredictions.BATCH), rows.bytes()));
        return classifier(config)
                .validated(labelled(descriptors.training(), training), labelled(descriptors.validation(), validation));
    }

    private RidgeClassifier classifier(RidgeConfig of) {
        return new RidgeClassifier(closedForm.method(), network.classes(), of, closedForm.weights(), line -> {
            listener.onEvent(new TrainingEvent.Note("closed form: " + line));
            cancellation.check();
        });
    }

    /** The weight of each class. */
    private double[] weights(BatchSource training) {
        return closedForm.weights().of(training.labels(), network.classes());
    }

    /** The descriptors of images, stored or to be computed. */
    private LabelledRows labelled(Descriptors.@Nullable Stored stored, BatchSource images) {
        return new LabelledRows(
                stored == null ? new NetworkDescriptors(network, images, NetworkPredictions.BATCH) : stored,
                images.labels(),
                images.groups(),
                images.sharesGroups());
    }

    /**
     * Stores rows in memory if the budget allows it; otherwise on disk, for methods that read them several times; or not at
     * all.
     *
     * @param taken bytes of the budget that are used already
     */
    private Descriptors.@Nullable Stored stored(Descriptors rows, double taken) {
        if (taken + rows.bytes() <= config.memoryBudget()) {
            return CachedDescriptors.of(rows);
        }
        if (closedForm.method() == RidgeMethod.DUAL) {
            return null;
        }
        listener.onEvent(new TrainingEvent.Note(String.format(
                Locale.ROOT,
                "closed form: %,d descriptors go to a file in %s (%.1f GB), which is removed afterwards",
                rows.count(),
                closedForm.folder(),
                rows.bytes() / 1e9)));
        return DescriptorFile.of(rows, closedForm.folder());
    }

    /** The network multiplies scores by its logit scale, so the temperature goes into the weights. */
    private void assign(RidgeFit fit, double temperature) {
        double factor = temperature / network.config().logitScale();
        network.classifier().weight().assign(fit.weight().mul(scalar(factor)));
        network.classifier().bias().assign(fit.bias().mul(scalar(factor)));
    }

    private void report(
            int stage, RidgeFit fit, double temperature, @Nullable Double validationAccuracy, boolean used) {
        listener.onEvent(new TrainingEvent.Ridge(
                stage,
                fit.chosen().relativeLambda(),
                fit.chosen().accuracy(),
                temperature,
                fit.trials().stream()
                        .map(trial -> new TrainingEvent.Ridge.Trial(
                                trial.relativeLambda(), trial.accuracy(), trial.logLoss()))
                        .toList(),
                validationAccuracy,
                used));
    }
}
