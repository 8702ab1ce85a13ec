package io.github.gramian.train;

import io.github.gramian.dataset.Split;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.ModelSelection.SelectionFile;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.Stage;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Trains with the training images, and selects with the validation images: epochs, the classifier, and whether fine-tuning
 * helped. If no final retraining follows, the selected model is complete in the leading process.
 */
final class SelectionTraining {

    private final TrainingContext training;
    private final Recipe recipe;
    private final StageContext context;
    private final FeatureSet data;
    private final List<Preprocessing> views;
    private final StageSequence stages;
    private final ModelFits fits;
    private final int validationImages;

    /** @param views of an image that is not augmented, one per scale of the network */
    SelectionTraining(
            TrainingContext training,
            StageContext context,
            FeatureSet data,
            List<Preprocessing> views,
            ModelFits fits) {
        this.training = training;
        this.recipe = training.recipe();
        this.context = context;
        this.data = data;
        this.views = views;
        this.stages = new StageSequence(training, context, data);
        this.fits = fits;
        this.validationImages = data.samples(Split.VALIDATION).size();
    }

    /**
     * The result.
     *
     * @param model in the leading process, the selected one; it is incomplete if a final retraining follows
     */
    record Selected(TrainedModel model, ModelSelection selection) {}

    /** @param network untrained */
    Selected run(Network network) throws IOException {
        try (ModelSnapshot untrained = ModelSnapshot.of(network)) {
            Optional<ClassifierFit.Fitted> start = initialised(network);
            if (recipe.stage1().runs() || recipe.stage2().runs()) {
                start.ifPresent(
                        ClassifierFit.Fitted::close); // its descriptors are those of the network before training
            }
            Stage.Epochs first = stages.first(network, null);
            return recipe.stage2().runs() ? tuned(network, untrained, first) : frozen(network, first, start);
        }
    }

    /** Initialises the network if no stage has left a checkpoint. */
    private Optional<ClassifierFit.Fitted> initialised(Network network) throws IOException {
        RunFolder directory = training.directory();
        boolean needed = !stages.isStarted(directory.last(1))
                && (recipe.stage1().runs() || !stages.isStarted(directory.last(2)));
        return needed
                ? stages.initialise(network, fits.fit(), StageSequence.TRAINING, frozenValidation())
                : Optional.empty();
    }

    private @Nullable BatchSource frozenValidation() {
        return StageSequence.ifAny(data.fitting(Split.VALIDATION));
    }

    /** Without stage 2 there is one model; only its classifier is chosen. */
    private Selected frozen(Network network, Stage.Epochs first, Optional<ClassifierFit.Fitted> start)
            throws IOException {
        TrainedModel model = new TrainedModel(network, data, null);
        return selected(model, () -> {
            try (ClassifierFit.Fitted fitted =
                    start.isPresent() && !recipe.stage1().runs() ? start.get() : fits.after(1, model)) {
                ModelSelection selection = ModelSelection.only(first, Stage.Epochs.NONE, false, fitted.applied());
                return completed(model, selection, fitted);
            }
        });
    }

    /** Stage 2, and the comparison with the model before it on validation images. */
    private Selected tuned(Network network, ModelSnapshot untrained, Stage.Epochs first) throws IOException {
        TrainableBackbone backbone = TrainableBackbone.load(recipe, data, views, network.config());
        try (ModelSnapshot head = ModelSnapshot.of(network)) {
            Stage.Epochs second = stages.second(network, backbone, null);
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
        try (ClassifierFit.Fitted fitted = fits.after(2, tuned)) {
            ModelSelection selection = ModelSelection.only(first, second, true, fitted.applied());
            return completed(tuned, selection, fitted);
        }
    }

    /** Ends with the better of two models in the network: the fine-tuned one, or the one before it. */
    private ModelSelection compared(TrainedModel tuned, ModelSnapshot before, Stage.Epochs first, Stage.Epochs second)
            throws IOException {
        Network network = tuned.network();
        ClassifierFit.Applied tunedClassifier;
        try (ClassifierFit.Fitted fitted = fits.after(2, tuned)) {
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

    private double loss(TrainedModel model, ModelSnapshot head) {
        head.restore(model.network());
        return fits.validationLoss(model);
    }

    /** The best classifier of the network before stage 2, as a training without that stage would have selected it. */
    private ClassifierFit.Fitted fittedFrozen(ModelSnapshot before, TrainedModel frozen) {
        before.restore(frozen.network());
        return recipe.stage1().runs()
                ? fits.after(1, frozen)
                : stages.start(frozen.network(), fits.fit(), StageSequence.TRAINING, frozenValidation())
                        .orElseThrow();
    }

    /** Stores the selection for the final retraining; if none follows, fits the classifier to all images. */
    private ModelSelection completed(TrainedModel model, ModelSelection selected, ClassifierFit.@Nullable Fitted fitted)
            throws IOException {
        ModelSelection selection =
                selected.withNovelty(new TrainedCertainty(model, training.cancellation()).heldOut(selected));
        if (selection.needsFinalTraining(recipe, validationImages)) {
            new SelectionFile(selection, context.log().lines(), context.inputs()).write(training.directory());
            return selection;
        }
        return selection.withClassifier(fits.toAll(model, selection.classifier(), fitted));
    }

    /** Selects in the leading process, and sends the selection to the others. */
    private Selected selected(TrainedModel model, ProcessGroup.Task<ModelSelection> task) throws IOException {
        Optional<ModelSelection> own = context.processes().onLeader(task);
        Optional<String> text = context.processes().fromLeader(own.map(ConfigJson::toJson));
        return new Selected(model, own.orElseGet(() -> ConfigJson.fromJson(text.orElseThrow(), ModelSelection.class)));
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
