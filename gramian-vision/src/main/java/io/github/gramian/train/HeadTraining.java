package io.github.gramian.train;

import io.github.gramian.dataset.Split;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.ModelSelection.SelectionFile;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.BackboneParameters;
import io.github.gramian.train.stage.internal.DistributedTraining;
import io.github.gramian.train.stage.internal.Stage;
import io.github.gramian.train.stage.internal.StageRunner;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Trains a network that is not trained yet: initialisation, stage 1 on cached features, stage 2 with the backbone, and the
 * classifier in closed form.
 *
 * <p>{@link #select} trains with the training images, and selects with the validation images: epochs, the classifier, and whether
 * fine-tuning helped. {@link #retrain} trains on all of them, with the selected epochs.
 */
final class HeadTraining {

    private final TrainingContext training;
    private final Recipe recipe;
    private final RunFolder directory;
    private final StageContext context;
    private final CancellationToken cancellation;
    private final DistributedTraining processes;
    private final FeatureSet data;
    private final Network network;
    private final ClassifierFit fit;
    private final int validationImages;

    /**
     * @param network untrained
     * @param fit of the network's classifier. For {@link #retrain} it should report nothing: the penalty of a start is chosen as
     *     before, on more images
     */
    HeadTraining(TrainingContext training, StageContext context, FeatureSet data, Network network, ClassifierFit fit) {
        this.training = training;
        this.recipe = training.recipe();
        this.directory = training.directory();
        this.context = context;
        this.cancellation = context.cancellation();
        this.processes = context.processes();
        this.data = data;
        this.network = network;
        this.fit = fit;
        this.validationImages = data.samples(Split.VALIDATION).size();
    }

    /**
     * The result.
     *
     * @param model in the leading process, the selected one; it is incomplete if a final retraining follows
     */
    record Selected(TrainedModel model, ModelSelection selection) {}

    /** Trains with the training images, and selects with the validation images. */
    Selected select() throws IOException {
        try (ModelSnapshot untrained = ModelSnapshot.of(network)) {
            boolean needed = !isStarted(directory.last(1)) && (recipe.stage1().runs() || !isStarted(directory.last(2)));
            Optional<ClassifierFit.Fitted> start =
                    needed ? initialise(FeatureSet.TRAINING, frozenValidation()) : Optional.empty();
            if (recipe.stage1().runs() || recipe.stage2().runs()) {
                start.ifPresent(
                        ClassifierFit.Fitted::close); // its descriptors are those of the network before training
            }
            Stage.Epochs first = first(null);
            return recipe.stage2().runs() ? tuned(untrained, first) : frozen(first, start);
        }
    }

    /** The final retraining: from the start, on training and validation images together, with the selected epochs. */
    TrainedModel retrain(ModelSelection selection) throws IOException {
        if (!isStarted(directory.lastOnAll(2))) {
            if (!isStarted(directory.lastOnAll(1))) {
                initialise(FeatureSet.ALL, null).ifPresent(ClassifierFit.Fitted::close);
            }
            first(selection.stage1());
        }
        if (!selection.tuned()) {
            TrainedModel frozen = new TrainedModel(network, data, null);
            fitSelected(frozen, selection.classifier());
            return frozen;
        }
        TrainableBackbone backbone = TrainableBackbone.load(recipe, data, network.config());
        try {
            second(backbone, selection.stage2());
            TrainedModel tuned = new TrainedModel(network, data, backbone);
            fitSelected(tuned, selection.classifier());
            return tuned;
        } catch (IOException | RuntimeException failure) {
            backbone.close();
            throw failure;
        }
    }

    /** Fits the classifier in closed form, or gives the trained one the temperature that validation images chose. */
    private void fitSelected(TrainedModel model, ClassifierFit.Applied selected) {
        if (!processes.leads()) {
            return;
        }
        if (selected.fitted()) {
            fitToAll(model, selected, null);
        } else {
            fit.calibrate(selected);
        }
    }

    /** Without stage 2 there is one model; only its classifier is chosen. */
    private Selected frozen(Stage.Epochs first, Optional<ClassifierFit.Fitted> start) throws IOException {
        TrainedModel model = new TrainedModel(network, data, null);
        return selected(model, () -> {
            try (ClassifierFit.Fitted fitted =
                    start.isPresent() && !recipe.stage1().runs() ? start.get() : fitAfter(1, model)) {
                ModelSelection selection = ModelSelection.only(first, Stage.Epochs.NONE, false, fitted.applied());
                return completed(model, selection, fitted);
            }
        });
    }

    /** Stage 2, and the comparison with the model before it on validation images. */
    private Selected tuned(ModelSnapshot untrained, Stage.Epochs first) throws IOException {
        TrainableBackbone backbone = TrainableBackbone.load(recipe, data, network.config());
        try (ModelSnapshot head = ModelSnapshot.of(network)) {
            Stage.Epochs second = second(backbone, null);
            TrainedModel tuned = new TrainedModel(network, data, backbone);
            boolean compares = recipe.tuned() != Recipe.Tuned.ALWAYS && validationImages > 0;
            Selected selected = selected(
                    tuned,
                    () -> compares
                            ? compared(tuned, recipe.stage1().runs() ? head : untrained, first, second)
                            : always(tuned, first, second));
            if (!selected.selection().tuned()) {
                backbone.close();
                return new Selected(new TrainedModel(network, data, null), selected.selection());
            }
            return selected;
        } catch (IOException | RuntimeException failure) {
            backbone.close();
            throw failure;
        }
    }

    private ModelSelection always(TrainedModel tuned, Stage.Epochs first, Stage.Epochs second) throws IOException {
        try (ClassifierFit.Fitted fitted = fitAfter(2, tuned)) {
            ModelSelection selection = ModelSelection.only(first, second, true, fitted.applied());
            return completed(tuned, selection, fitted);
        }
    }

    /** Ends with the better of two models in the network: the fine-tuned one, or the one before it. */
    private ModelSelection compared(TrainedModel tuned, ModelSnapshot before, Stage.Epochs first, Stage.Epochs second)
            throws IOException {
        ClassifierFit.Applied tunedClassifier;
        try (ClassifierFit.Fitted fitted = fitAfter(2, tuned)) {
            tunedClassifier =
                    fitted.applied(); // its descriptors are freed before those of the other model are computed
        }
        TrainedModel frozen = new TrainedModel(network, data, null);
        try (ModelSnapshot tunedHead = ModelSnapshot.of(network);
                ClassifierFit.Fitted fitted = fittedFrozen(before, frozen);
                ModelSnapshot frozenHead = ModelSnapshot.of(network)) {
            ModelSelection selection = ModelSelection.choose(
                    new ModelSelection.Candidate(
                            first, Stage.Epochs.NONE, fitted.applied(), () -> loss(frozen, frozenHead)),
                    new ModelSelection.Candidate(first, second, tunedClassifier, () -> loss(tuned, tunedHead)),
                    validationImages);
            context.listener().onEvent(Objects.requireNonNull(selection.fineTuning()));
            if (selection.tuned()) {
                fitted.close();
                tunedHead.restore(network);
                return completed(tuned, selection, null);
            }
            frozenHead.restore(network);
            return completed(frozen, selection, fitted);
        }
    }

    /** Mean cross-entropy of a model on validation images. */
    private double loss(TrainedModel model, ModelSnapshot head) {
        head.restore(network);
        BatchSource validation = cancellation.checking(model.images(Split.VALIDATION));
        return NetworkPredictions.of(network, validation, NetworkPredictions.BATCH)
                .loss();
    }

    /** The best classifier of the network before stage 2, as a training without that stage would have selected it. */
    private ClassifierFit.Fitted fittedFrozen(ModelSnapshot before, TrainedModel frozen) {
        before.restore(network);
        return recipe.stage1().runs()
                ? fitAfter(1, frozen)
                : start(FeatureSet.TRAINING, frozenValidation()).orElseThrow();
    }

    /** Stores the selection for the final retraining; if none follows, fits the classifier to all images. */
    private ModelSelection completed(TrainedModel model, ModelSelection selected, ClassifierFit.@Nullable Fitted fitted)
            throws IOException {
        ModelSelection selection = selected.withNovelty(new TrainedCertainty(model, cancellation).heldOut(selected));
        if (selection.needsFinalTraining(recipe, validationImages)) {
            new SelectionFile(selection, context.log().lines(), context.inputs()).write(directory);
            return selection;
        }
        return selection.withClassifier(fitToAll(model, selection.classifier(), fitted));
    }

    /** Selects in the leading process, and sends the selection to the others. */
    private Selected selected(TrainedModel model, ProcessGroup.Task<ModelSelection> task) throws IOException {
        Optional<ModelSelection> own = processes.onLeader(task);
        Optional<String> text = processes.fromLeader(own.map(ConfigJson::toJson));
        return new Selected(model, own.orElseGet(() -> ConfigJson.fromJson(text.orElseThrow(), ModelSelection.class)));
    }

    /** Whether there is a checkpoint in the leading process. */
    private boolean isStarted(Path checkpoint) {
        return processes.fromLeader(processes.leads() && Files.exists(checkpoint));
    }

    /**
     * Initialises the network in the leading process, for gradient descent, or completely if no stage follows.
     *
     * @param validation null if there are no validation images, or if they are training images now
     * @return the classifier, if one was fitted
     */
    private Optional<ClassifierFit.Fitted> initialise(Split[] splits, @Nullable BatchSource validation)
            throws IOException {
        return processes.onLeader(() -> start(splits, validation)).flatMap(Function.identity());
    }

    /** Initialises the network in this process. */
    private Optional<ClassifierFit.Fitted> start(Split[] splits, @Nullable BatchSource validation) {
        BatchSource images = cancellation.checking(data.cached(splits));
        new Initialisation(
                        network,
                        images,
                        recipe.initialisation(),
                        training.seed().child("start"))
                .run();
        boolean ridge = recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
        return ridge || !recipe.stage1().runs()
                ? Optional.of(fit.apply(
                        0, cancellation.checking(data.fitting(splits)), checked(validation), Refit.ALWAYS, false))
                : Optional.empty();
    }

    /**
     * Stage 1: trains the network on cached features. A closed-form classifier explains its training images so well that stage 2
     * would have nothing to learn from: it starts with the trained one.
     *
     * @param chosen null if validation images choose; otherwise the stage trains on them, too
     */
    private Stage.Epochs first(Stage.@Nullable Epochs chosen) throws IOException {
        return run(
                new Stage(
                        1,
                        recipe.stage1(),
                        data.cached(chosen == null ? FeatureSet.TRAINING : FeatureSet.ALL),
                        chosen == null ? checkedAfterGrace(data.cached(Split.VALIDATION)) : null,
                        training.seed().child("stage1"),
                        recipe.classes().weights(),
                        chosen),
                null);
    }

    /**
     * Stage 2: trains the network and the backbone from images.
     *
     * @param chosen null if validation images choose; otherwise the stage trains on them, too
     */
    private Stage.Epochs second(TrainableBackbone backbone, Stage.@Nullable Epochs chosen) throws IOException {
        return run(
                new Stage(
                        2,
                        recipe.stage2(),
                        backbone.augmented(chosen == null ? FeatureSet.TRAINING : FeatureSet.ALL),
                        chosen == null ? checkedAfterGrace(backbone.images(Split.VALIDATION)) : null,
                        training.seed().child("stage2"),
                        recipe.classes().weights(),
                        chosen),
                backbone.parameters());
    }

    private Stage.Epochs run(Stage stage, @Nullable BackboneParameters backbone) throws IOException {
        if (stage.epochs() == 0) {
            return Stage.Epochs.NONE;
        }
        StageRunner runner = new StageRunner(stage, network, backbone, directory, context);
        return processes.run(runner, stage, context.listener());
    }

    /** The classifier after a stage: the trained one, or one in closed form. */
    private ClassifierFit.Fitted fitAfter(int stage, TrainedModel model) {
        return fit.apply(
                stage,
                cancellation.checking(model.fitting(FeatureSet.TRAINING)),
                checked(model.fitting(Split.VALIDATION)),
                recipe.refit(),
                true);
    }

    /**
     * Fits a classifier in closed form again with the validation images, which have nothing left to choose. A trained
     * classifier does not change.
     *
     * @param fitted descriptors of the same model, if they are still stored
     * @return what was chosen, with scores for the coverage of sets by the new classifier
     */
    private ClassifierFit.Applied fitToAll(
            TrainedModel model, ClassifierFit.Applied chosen, ClassifierFit.@Nullable Fitted fitted) {
        BatchSource validation = checked(model.fitting(Split.VALIDATION));
        return !chosen.fitted() || validation == null
                ? chosen
                : fit.applyToAll(cancellation.checking(model.fitting(FeatureSet.TRAINING)), validation, chosen, fitted);
    }

    private BatchSource frozenValidation() {
        return data.fitting(Split.VALIDATION);
    }

    /** Null if there are no images. */
    private @Nullable BatchSource checked(@Nullable BatchSource images) {
        return images == null || images.count() == 0 ? null : cancellation.checking(images);
    }

    /** Null if there are no images. */
    private @Nullable BatchSource checkedAfterGrace(BatchSource images) {
        return images.count() == 0 ? null : cancellation.checkingAfterGrace(images);
    }

    /** Copies of all values of a network at one moment. They never change, whatever happens to the network afterwards. */
    static final class ModelSnapshot implements AutoCloseable {

        private final List<Tensor> values = new ArrayList<>();

        private ModelSnapshot() {}

        static ModelSnapshot of(Network network) {
            ModelSnapshot snapshot = new ModelSnapshot();
            try (Scope scope = Scope.open()) {
                network.parameters()
                        .forEach(
                                one -> snapshot.values.add(Scope.own(one.value().clone())));
            }
            return snapshot;
        }

        /** Gives a network of the same shape the values of the snapshot. */
        void restore(Network network) {
            for (int i = 0; i < values.size(); i++) {
                network.parameters().get(i).assign(values.get(i));
            }
        }

        @Override
        public void close() {
            values.forEach(Scope::disown);
            values.clear();
        }
    }
}
