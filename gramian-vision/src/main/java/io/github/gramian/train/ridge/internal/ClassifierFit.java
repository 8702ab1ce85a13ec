package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.CertaintyFit;
import io.github.gramian.certainty.internal.Temperature;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.CachedDescriptors;
import io.github.gramian.train.descriptor.internal.DescriptorFile;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Fits the classifier of a network in closed form, uses the fit if it is better, and calibrates its probabilities by a {@link
 * Temperature}.
 *
 * <p>At least {@link Temperature#MIN_ROWS} validation images choose the temperature. If there are fewer, training images that
 * are left out one at a time choose that of a classifier in closed form. Fewer images than that choose nothing: the scores
 * then keep the network's logit scale, and the listener receives a note.
 */
public final class ClassifierFit {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private final Network network;
    private final RidgeConfig config;
    private final Plan plan;
    private final TrainingListener listener;
    private final CancellationToken cancellation;

    /**
     * How a training fits its classifier: decided, and refused where the disk is too small, before anything is computed.
     *
     * @param method how it is solved
     * @param images number of labelled images, for training and validation, with their copies
     * @param length dimensions of a descriptor
     * @param folder where descriptors go that do not fit into memory; it need not exist yet
     * @param weights of the classes
     */
    public record Plan(RidgeClassifier.Method method, int images, long length, Path folder, Weights weights) {

        /** For these images, before any is read. */
        public static Plan of(Recipe recipe, Dataset dataset, long length, Path folder) {
            int images = dataset.samples(Split.TRAIN).size()
                    + dataset.samples(Split.VALIDATION).size();
            int all = images * (1 + recipe.views().copyCount());
            return of(recipe.ridge(), all, length, folder, recipe.classes().weights());
        }

        static Plan of(RidgeConfig config, int images, long length, Path folder, Weights weights) {
            return new Plan(RidgeClassifier.Method.of(images, length, config), images, length, folder, weights);
        }

        /** Whether a recipe may ask for a classifier in closed form at all. */
        public static boolean mayBeAsked(Recipe recipe) {
            return recipe.refit() != Refit.NEVER
                    || !recipe.stage1().runs()
                    || recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
        }

        /** Whether the descriptors are stored on disk while the classifier is fitted. */
        boolean onDisk(RidgeConfig config) {
            return method != RidgeClassifier.Method.DUAL
                    && DescriptorFile.bytes(images, length) > config.memoryBudget();
        }

        /** Refuses a disk that is too small. */
        public void requireDiskSpace(RidgeConfig config) throws IOException {
            if (onDisk(config)) {
                Path there = folder.toAbsolutePath();
                while (!Files.exists(there) && there.getParent() != null) {
                    there = there.getParent();
                }
                DescriptorFile.requireDiskSpace(there, DescriptorFile.bytes(images, length));
            }
        }

        /** Whether there are so many images that users want to know how the classifier is fitted. */
        public boolean isNoteworthy() {
            return method != RidgeClassifier.Method.DUAL;
        }

        /** A description of the method, for people. */
        public String sentence() {
            return method.sentence(images, length);
        }
    }

    /**
     * What was chosen.
     *
     * @param relativeLambda the relative penalty that was chosen if the new classifier is used, otherwise null
     * @param temperature of the probabilities of the classifier that is used, if validation images chose it; null if images
     *     that were left out choose it, or if there are too few images to choose
     * @param validationAccuracy of the classifier that is used; null without validation images
     * @param sets of classes; null if no image calibrates them
     */
    public record Applied(
            @Nullable Double relativeLambda,
            @Nullable Double temperature,
            @Nullable Double validationAccuracy,
            @Nullable PredictionSets sets) {

        private Applied with(@Nullable PredictionSets others) {
            return new Applied(relativeLambda, temperature, validationAccuracy, others);
        }

        /** Whether a classifier in closed form is used. */
        public boolean fitted() {
            return relativeLambda != null;
        }
    }

    /**
     * The result of a fit, with the descriptors that it was computed from if they are stored, for the fit to all images that may
     * follow. Closing it frees the descriptors; it may be closed several times.
     */
    public static final class Fitted implements AutoCloseable {
        private final Applied applied;
        private final StoredRows rows;

        private Fitted(Applied applied, StoredRows rows) {
            this.applied = applied;
            this.rows = rows;
        }

        public Applied applied() {
            return applied;
        }

        @Override
        public void close() {
            rows.close();
        }
    }

    /** Descriptors of images; null if they are not stored. */
    private static final class StoredRows {
        private Descriptors.@Nullable Stored training;
        private Descriptors.@Nullable Stored validation;

        void close() {
            if (training != null) {
                training.close();
                training = null;
            }
            if (validation != null) {
                validation.close();
                validation = null;
            }
        }
    }

    /** @param cancellation checked whenever a long fit reports its progress */
    public ClassifierFit(
            Network network, RidgeConfig config, Plan plan, TrainingListener listener, CancellationToken cancellation) {
        this.network = network;
        this.config = config;
        this.plan = plan;
        this.listener = listener;
        this.cancellation = cancellation;
    }

    /**
     * Fits to training images and keeps the better classifier; of two that are as good as each other the new one, since it
     * can be fitted to the validation images as well. If there are too few validation images to decide, the new one is used, too.
     *
     * @param validation selects between the present classifier and the new one; null takes the new one
     * @param trained whether gradient descent has trained the network and its classifier, which may be the better one
     */
    public Fitted apply(
            int stage, BatchSource training, @Nullable BatchSource validation, Refit refit, boolean trained) {
        StoredRows rows = new StoredRows();
        if (refit == Refit.NEVER) {
            return new Fitted(keepTrained(accuracy(predictions(validation)), training, validation), rows);
        }
        try (Scope scope = Scope.open()) {
            Tensor weight = network.classifier().weight().value().clone();
            Tensor bias = network.classifier().bias().value().clone();
            Double before = trained ? accuracy(predictions(validation)) : null;
            RidgeFit fit = fit(rows, training, validation, trained);
            Double temperature = temperature(fit, training, validation, trained);
            double factor = temperature == null ? leftOutTemperature(fit, training.count()) : temperature;
            assign(fit, factor);
            NetworkPredictions validated = predictions(validation);
            Double after = accuracy(validated);
            boolean used = refit == Refit.ALWAYS || isAsGood(after, before, validation);
            report(stage, fit, factor, after, used);
            if (!used) {
                network.classifier().weight().assign(weight);
                network.classifier().bias().assign(bias);
                rows.close();
                return new Fitted(keepTrained(before, training, validation), rows);
            }
            if (temperature == null) {
                noteFew(training.count() + (validation == null ? 0 : validation.count()));
            }
            PredictionSets sets = CertaintyFit.calibratedBy(trained, plan.method.leavesOut(), validation != null)
                    .map(source -> source == PredictionSets.Source.VALIDATION
                            ? validated(validated, validation)
                            : fit.heldOut().sets(source, factor, 0))
                    .orElse(null);
            return new Fitted(new Applied(fit.chosen().relativeLambda(), temperature, after, sets), rows);
        } catch (RuntimeException failure) {
            rows.close();
            throw failure;
        }
    }

    /** Whether validation images do not speak against the new classifier by more than chance. */
    private static boolean isAsGood(@Nullable Double after, @Nullable Double before, @Nullable BatchSource validation) {
        return validation == null
                || !canChoose(validation)
                || before == null
                || after == null
                || after >= before - NetworkPredictions.standardError(before, validation.count());
    }

    /**
     * Uses the trained classifier. Mixup and smoothed labels leave its probabilities too small, memorised images too large.
     * If there are enough validation images, they correct that.
     */
    private Applied keepTrained(@Nullable Double accuracy, BatchSource training, @Nullable BatchSource validation) {
        Double temperature = validation == null ? null : temperatureOfTrained(training, validation);
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

    /**
     * Fits to training and validation images together, with a penalty that was chosen before, and a temperature where
     * it was chosen on validation images. The network must be the one that they were chosen for.
     *
     * @param fitted an earlier fit of the same network, whose descriptors are used again; null if there is none
     * @return what was chosen, with sets of the new classifier
     */
    public Applied applyToAll(BatchSource training, BatchSource validation, Applied chosen, @Nullable Fitted fitted) {
        double relativeLambda = Objects.requireNonNull(chosen.relativeLambda());
        try (Scope scope = Scope.open()) {
            StoredRows stored = fitted == null ? new StoredRows() : fitted.rows;
            RidgeClassifier.Rows all =
                    labelled(stored.training, training).then(labelled(stored.validation, validation));
            RidgeFit fit =
                    classifier(config.withLambdas(List.of(relativeLambda))).again(all, chosen.temperature());
            double factor = chosen.temperature() == null ? leftOutTemperature(fit, all.count()) : chosen.temperature();
            assign(fit, factor);
            return chosen.with(fit.heldOut().replacing(chosen.sets(), factor, training.count()));
        }
    }

    /**
     * Trained descriptors have seen the labels of their own images, so leave-one-out is too optimistic: then validation images
     * select the penalty, where there are enough.
     */
    private RidgeFit fit(StoredRows stored, BatchSource training, @Nullable BatchSource validation, boolean trained) {
        NetworkDescriptors rows = new NetworkDescriptors(network, training, NetworkPredictions.BATCH);
        stored.training = stored(rows, 0);
        boolean enough = validation != null && validation.enoughToChoose();
        if (validation == null || !enough || (!trained && plan.method.leavesOut())) {
            return classifier(config).leavingOut(labelled(stored.training, training));
        }
        stored.validation = stored(new NetworkDescriptors(network, validation, NetworkPredictions.BATCH), rows.bytes());
        return classifier(config)
                .validated(labelled(stored.training, training), labelled(stored.validation, validation));
    }

    private RidgeClassifier classifier(RidgeConfig of) {
        RidgeClassifier.Task task = new RidgeClassifier.Task(network.classes(), of, plan.weights);
        return new RidgeClassifier(plan.method, task, line -> {
            note("closed form: " + line);
            cancellation.check();
        });
    }

    /** The descriptors of images, stored or to be computed. */
    private RidgeClassifier.Rows labelled(Descriptors.@Nullable Stored stored, BatchSource images) {
        return new RidgeClassifier.Rows(
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
        if (plan.method == RidgeClassifier.Method.DUAL) {
            return null;
        }
        note(String.format(
                Locale.ROOT,
                "closed form: %,d descriptors go to a file in %s (%.1f GB), which is removed afterwards",
                rows.count(),
                plan.folder,
                rows.bytes() / 1e9));
        return DescriptorFile.of(rows, plan.folder);
    }

    /** The network multiplies scores by its logit scale, so the temperature goes into the weights. */
    private void assign(RidgeFit fit, double temperature) {
        double factor = temperature / network.config().logitScale();
        network.classifier().weight().assign(fit.weight().mul(scalar(factor)));
        network.classifier().bias().assign(fit.bias().mul(scalar(factor)));
    }

    private @Nullable NetworkPredictions predictions(@Nullable BatchSource images) {
        return images == null ? null : NetworkPredictions.of(network, images, NetworkPredictions.BATCH);
    }

    /** Sets that validation images calibrate, as the network with its final factor predicts them. */
    private static @Nullable PredictionSets validated(
            @Nullable NetworkPredictions predictions, @Nullable BatchSource validation) {
        return predictions == null || validation == null
                ? null
                : PredictionSets.of(
                        PredictionSets.Source.VALIDATION, predictions.trueProbabilities(validation.labels()));
    }

    private static @Nullable Double accuracy(@Nullable NetworkPredictions predictions) {
        return predictions == null ? null : (Double) predictions.accuracy();
    }

    /** Whether there are enough validation images to choose a temperature, or between two classifiers. */
    private static boolean canChoose(@Nullable BatchSource validation) {
        return validation != null && validation.count() >= Temperature.MIN_ROWS;
    }

    /**
     * The temperature that does not change if the classifier is fitted again; null if images that are left out choose it. After
     * gradient descent, validation images choose, since training images would lead to overconfident probabilities.
     */
    private @Nullable Double temperature(
            RidgeFit fit, BatchSource training, @Nullable BatchSource validation, boolean trained) {
        if (trained && validation != null && canChoose(validation)) {
            return validation.enoughToChoose()
                    ? (Double) fit.temperature() // which these images have chosen with the penalty
                    : (Double) temperature(fit.weight(), fit.bias(), training, validation);
        }
        return plan.method.leavesOut() ? null : (Double) fit.temperature();
    }

    /** The temperature that images which were left out in turn choose; the logit scale if there are too few of them. */
    private double leftOutTemperature(RidgeFit fit, int images) {
        return images >= Temperature.MIN_ROWS
                ? fit.temperature()
                : network.config().logitScale();
    }

    /** The temperature that validation images choose for the trained classifier; null if there are too few of them. */
    private @Nullable Double temperatureOfTrained(BatchSource training, BatchSource validation) {
        if (!canChoose(validation)) {
            note(String.format(
                    Locale.ROOT,
                    "probabilities: those of the trained classifier are not calibrated, since that needs at least %d"
                            + " validation images and there are %d",
                    Temperature.MIN_ROWS,
                    validation.count()));
            return null;
        }
        try (Scope scope = Scope.open()) {
            double scale = network.config().logitScale();
            double temperature = temperature(
                    FLOAT.place(network.classifier().weight().value()).mul(scalar(scale)),
                    FLOAT.place(network.classifier().bias().value()).mul(scalar(scale)),
                    training,
                    validation);
            note(String.format(
                    Locale.ROOT,
                    "probabilities: scores of the trained classifier times %.2f, which %,d validation images chose",
                    temperature,
                    validation.count()));
            return temperature;
        }
    }

    /**
     * The temperature that validation images choose for scores = weight · x + bias.
     *
     * @param weight [classes, length], float
     * @param bias [classes], float
     * @param training decides how much each class counts
     */
    private double temperature(Tensor weight, Tensor bias, BatchSource training, BatchSource validation) {
        NetworkDescriptors images = new NetworkDescriptors(network, validation, NetworkPredictions.BATCH);
        double[] scores = new double[Math.multiplyExact(validation.count(), network.classes())];
        for (int from = 0; from < validation.count(); from += config.blockRows()) {
            try (Scope scope = Scope.open()) {
                int to = Math.min(validation.count(), from + config.blockRows());
                Tensor rows = FLOAT.place(images.rows(from, to));
                float[] block = HostCopy.floats(torch.addmm(bias, rows, weight.t()));
                for (int i = 0; i < block.length; i++) {
                    scores[from * network.classes() + i] = block[i];
                }
            }
        }
        double[] ofClass = plan.weights.of(training.labels(), network.classes());
        double[] ofRow = Judge.weights(validation.labels(), ofClass);
        return new Temperature(scores, validation.labels(), network.classes(), ofRow).best();
    }

    private void note(String line) {
        listener.onEvent(new TrainingEvent.Note(line));
    }

    /** Reports that so few images choose no temperature. */
    private void noteFew(int images) {
        if (images < Temperature.MIN_ROWS) {
            note(String.format(
                    Locale.ROOT,
                    "probabilities: not calibrated, since that needs at least %d images for training and validation and"
                            + " there are %d; they show which class is more likely, not how likely it is",
                    Temperature.MIN_ROWS,
                    images));
        }
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
