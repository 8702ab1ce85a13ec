package io.github.gramian.train;

import io.github.gramian.dataset.Split;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.Refit;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.Evaluation;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.ridge.internal.ClosedForm;
import io.github.gramian.train.stage.internal.BackboneParameters;
import io.github.gramian.train.stage.internal.Stage;
import io.github.gramian.train.stage.internal.StageContext;
import io.github.gramian.train.stage.internal.StageRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Initialisation, stages and classifier of a training: once with validation images, which choose epochs, the classifier and
 * whether fine-tuning stays, and where the recipe says so once more on all images, with what was chosen.
 */
final class TrainingSteps {

    private static final Split[] TRAINING = {Split.TRAIN};
    private static final Split[] ALL = {Split.TRAIN, Split.VALIDATION};

    private final Recipe recipe;
    private final RunFolder folder;
    private final StageContext context;
    private final DistributedTraining shared;
    private final CancellationToken cancellation;
    private final ClosedForm closedForm;
    private final ProcessGroup group;
    private final boolean leads;
    private final Seed seed;

    /** @param closedForm whether the classifier may be fitted in closed form */
    TrainingSteps(
            Recipe recipe, RunFolder folder, StageContext context, DistributedTraining shared, ClosedForm closedForm) {
        this.recipe = recipe;
        this.folder = folder;
        this.context = context;
        this.shared = shared;
        this.cancellation = context.cancellation();
        this.closedForm = closedForm;
        this.group = context.group();
        this.leads = group.distributed().leads();
        this.seed = new Seed(recipe.seed());
    }

    /** What a training had chosen before it was stopped, in all processes; empty where it has not. */
    Optional<ModelSelection> kept() throws IOException {
        Optional<ModelSelection> kept = leads ? ModelSelection.kept(folder) : Optional.empty();
        kept.ifPresent(choice -> choice.requireInputs(folder, context.inputs()));
        return ModelSelection.asFirst(group, kept);
    }

    /**
     * Trains with training images and chooses with validation images. Where no training on all images follows, the chosen model
     * is complete in the first process: a classifier in closed form is fitted to all images.
     */
    ModelSelection choose(Trained trained) throws IOException {
        try (ClassifierFit fit = fit(trained, context.listener())) {
            BatchSource validation = ifAny(trained.frozenImages(Split.VALIDATION));
            Optional<ClassifierFit.Applied> start = started(trained, fit, validation);
            Stage.Epochs first = firstStage(trained, TRAINING, validation, null);
            Optional<ModelSelection> own;
            if (recipe.stage2().runs()) {
                own = tuned(trained, fit, first);
            } else {
                own = alone(() -> choice(
                        first,
                        Stage.Epochs.NONE,
                        start.isPresent() && !recipe.stage1().runs() ? start.get() : fitted(trained, fit, 1)));
            }
            ModelSelection choice = ModelSelection.asFirst(group, own).orElseThrow();
            if (leads && trainsOnAll(choice, trained)) {
                choice.keep(folder);
            } else if (leads) {
                fitToAll(trained, choice, fit);
            }
            return choice;
        }
    }

    /**
     * Whether the recipe and what was chosen call for another training, on all images. A frozen network whose classifier is in
     * closed form does not: the classifier is fitted to all images anyway, and that the rest of the head sees
     * them as well has changed nothing that could be measured (docs/decisions/0019).
     */
    boolean trainsOnAll(ModelSelection choice, Trained trained) {
        return recipe.last() == Recipe.Final.ALL
                && trained.frozenImages(Split.VALIDATION).count() > 0
                && choice.stage1().count() + choice.stage2().count() > 0
                && (choice.tuned() || !choice.classifier().fitted());
    }

    /** Trains a network from its start on training and validation images together, with what was chosen. */
    void trainOnAll(Trained trained, ModelSelection choice) throws IOException {
        // The fit of a start is not told: its penalty is chosen as before, on more images.
        try (ClassifierFit fit = fit(trained, event -> {})) {
            if (!begun(folder.lastOnAll(2))) {
                initialise(!begun(folder.lastOnAll(1)), trained, fit, ALL, null);
                fit.close(); // its descriptors are those of the network before the descent
                firstStage(trained, ALL, null, choice.stage1());
            }
            if (choice.tuned()) {
                secondStage(trained, ALL, null, choice.stage2());
            }
            if (leads && choice.classifier().fitted()) {
                fitToAll(trained, choice, fit);
            } else if (leads) {
                fit.calibrate(choice.classifier());
            }
        }
    }

    /** A classifier in closed form that stays is fitted again with the validation images, which are no longer needed. */
    private void fitToAll(Trained trained, ModelSelection choice, ClassifierFit fit) {
        BatchSource validation = ifAny(trained.images(Split.VALIDATION));
        if (choice.classifier().fitted() && validation != null) {
            fit.applyToAll(
                    cancellation.checking(trained.images(TRAINING)),
                    cancellation.checking(validation),
                    choice.classifier());
        }
    }

    /** Stage 2, and what validation images say of it. */
    private Optional<ModelSelection> tuned(Trained trained, ClassifierFit fit, Stage.Epochs first) throws IOException {
        Stage.Epochs second = secondStage(trained, TRAINING, Split.VALIDATION, null);
        Optional<ClassifierFit.Applied> after = alone(() -> fitted(trained, fit, 2));
        if (recipe.tuned() == Recipe.Tuned.ALWAYS
                || trained.frozenImages(Split.VALIDATION).count() == 0) {
            return after.map(applied -> choice(first, second, applied));
        }
        if (leads) {
            trained.putAside();
            fit.close();
        }
        firstStage(trained, TRAINING, ifAny(trained.frozenImages(Split.VALIDATION)), null); // its weights are restored
        return alone(() -> {
            ClassifierFit.Applied before = frozen(trained, fit);
            TrainingEvent.FineTuning found = compared(trained, before, after.orElseThrow());
            context.listener().onEvent(found);
            if (found.kept()) {
                fit.close();
            } else {
                trained.freeze();
            }
            return new ModelSelection(
                    first,
                    found.kept() ? second : Stage.Epochs.NONE,
                    found.kept(),
                    found.kept() ? after.orElseThrow() : before,
                    found,
                    context.log().lines(),
                    context.inputs());
        });
    }

    /** The best classifier of the network before stage 2, as a training without that stage would have kept it. */
    private ClassifierFit.Applied frozen(Trained trained, ClassifierFit fit) {
        BatchSource training = cancellation.checking(trained.frozenImages(TRAINING));
        BatchSource validation = checked(ifAny(trained.frozenImages(Split.VALIDATION)));
        return recipe.stage1().runs()
                ? fit.apply(1, training, validation, recipe.refit(), true)
                : start(trained, fit, training, validation).orElseThrow();
    }

    /** Ends with the better of two models in the network: the frozen one is there, the fine-tuned one was put aside. */
    private TrainingEvent.FineTuning compared(
            Trained trained, ClassifierFit.Applied frozen, ClassifierFit.Applied tuned) {
        double before = Objects.requireNonNull(frozen.validationAccuracy());
        double after = Objects.requireNonNull(tuned.validationAccuracy());
        BatchSource images = cancellation.checking(trained.images(Split.VALIDATION));
        boolean better = after > before;
        if (after == before) {
            double loss = loss(trained, cancellation.checking(trained.frozenImages(Split.VALIDATION)));
            trained.exchange();
            better = loss(trained, images) < loss;
            trained.exchange();
        }
        if (better) {
            trained.exchange();
        }
        return new TrainingEvent.FineTuning(before, after, images.count(), better);
    }

    private static double loss(Trained trained, BatchSource images) {
        return Evaluation.of(trained.network(), images, Evaluation.BATCH).loss();
    }

    private ModelSelection choice(Stage.Epochs first, Stage.Epochs second, ClassifierFit.Applied classifier) {
        return new ModelSelection(
                first,
                second,
                recipe.stage2().runs(),
                classifier,
                null,
                context.log().lines(),
                context.inputs());
    }

    /** The classifier after a stage: the trained one, or one in closed form. */
    private ClassifierFit.Applied fitted(Trained trained, ClassifierFit fit, int stage) {
        return fit.apply(
                stage,
                cancellation.checking(trained.images(TRAINING)),
                checked(ifAny(trained.images(Split.VALIDATION))),
                recipe.refit(),
                true);
    }

    /** Initialises the network where no stage has left a checkpoint. */
    private Optional<ClassifierFit.Applied> started(
            Trained trained, ClassifierFit fit, @Nullable BatchSource validation) throws IOException {
        boolean needed = !begun(folder.last(1)) && (recipe.stage1().runs() || !begun(folder.last(2)));
        return initialise(needed, trained, fit, TRAINING, validation);
    }

    private Optional<ClassifierFit.Applied> initialise(
            boolean needed, Trained trained, ClassifierFit fit, Split[] splits, @Nullable BatchSource validation)
            throws IOException {
        return group.independently(() -> leads && needed
                ? start(trained, fit, cancellation.checking(trained.frozenImages(splits)), checked(validation))
                : Optional.empty());
    }

    /** Initialises the network for descent, or completely without descent, and returns the fit. */
    private Optional<ClassifierFit.Applied> start(
            Trained trained, ClassifierFit fit, BatchSource training, @Nullable BatchSource validation) {
        new Initialisation(trained.network(), training, recipe.initialisation(), seed.child("start")).run();
        boolean ridge = recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
        return ridge || !recipe.stage1().runs()
                ? Optional.of(fit.apply(0, training, validation, Refit.ALWAYS, false))
                : Optional.empty();
    }

    /**
     * Trains the network on cached features. A closed-form classifier explains its training images so well that stage 2
     * would have nothing to learn from: it starts with the trained one.
     *
     * @param chosen null where validation images choose
     */
    private Stage.Epochs firstStage(
            Trained trained, Split[] splits, @Nullable BatchSource validation, Stage.@Nullable Epochs chosen)
            throws IOException {
        Stage stage = new Stage(
                1,
                recipe.stage1(),
                trained.frozenImages(splits),
                checkedAfterGrace(validation),
                seed.child("stage1"),
                chosen);
        return descended(stage, trained, null);
    }

    /** Trains the network and the backbone from images. */
    private Stage.Epochs secondStage(
            Trained trained, Split[] splits, @Nullable Split validation, Stage.@Nullable Epochs chosen)
            throws IOException {
        BackboneParameters parameters = trained.unfreeze();
        Stage stage = new Stage(
                2,
                recipe.stage2(),
                trained.augmented(splits),
                validation == null ? null : checkedAfterGrace(ifAny(trained.images(validation))),
                seed.child("stage2"),
                chosen);
        return descended(stage, trained, parameters);
    }

    private Stage.Epochs descended(Stage stage, Trained trained, @Nullable BackboneParameters backbone)
            throws IOException {
        return stage.epochs() == 0
                ? Stage.Epochs.NONE
                : shared.descend(new StageRunner(stage, trained.network(), backbone, folder, context), stage);
    }

    /** Does something in the first process while the others wait for it. */
    private <T> Optional<T> alone(ProcessGroup.Task<T> task) throws IOException {
        return group.independently(() -> leads ? Optional.of(task.run()) : Optional.empty());
    }

    /** Whether there is a checkpoint, as the first process sees it. */
    private boolean begun(Path checkpoint) {
        return group.asFirst(leads && Files.exists(checkpoint));
    }

    private ClassifierFit fit(Trained trained, TrainingListener listener) {
        TrainingListener stoppable = listener.and(event -> {
            if (event instanceof TrainingEvent.Note) { // a long fit says now and then how far it is
                cancellation.check();
            }
        });
        return new ClassifierFit(trained.network(), recipe.ridge(), closedForm, stoppable);
    }

    private @Nullable BatchSource checked(@Nullable BatchSource images) {
        return images == null ? null : cancellation.checking(images);
    }

    private @Nullable BatchSource checkedAfterGrace(@Nullable BatchSource images) {
        return images == null ? null : cancellation.checkingAfterGrace(images);
    }

    private static @Nullable BatchSource ifAny(BatchSource images) {
        return images.count() == 0 ? null : images;
    }
}
