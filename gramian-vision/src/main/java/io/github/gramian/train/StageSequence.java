package io.github.gramian.train;

import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
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
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Initialisation and the two stages of a recipe. Without chosen epochs, a stage trains on the training images, and validation
 * images choose its best epoch. With chosen epochs, it trains on training and validation images together.
 */
final class StageSequence {

    static final Split[] TRAINING = {Split.TRAIN};
    static final Split[] ALL = {Split.TRAIN, Split.VALIDATION};

    private final Recipe recipe;
    private final RunFolder directory;
    private final StageContext context;
    private final CancellationToken cancellation;
    private final DistributedTraining processes;
    private final FeatureSet data;
    private final Seed seed;

    StageSequence(TrainingContext training, StageContext context, FeatureSet data) {
        this.recipe = training.recipe();
        this.directory = training.directory();
        this.context = context;
        this.cancellation = context.cancellation();
        this.processes = context.processes();
        this.data = data;
        this.seed = training.seed();
    }

    /** Whether there is a checkpoint in the leading process. */
    boolean isStarted(Path checkpoint) {
        return processes.fromLeader(processes.leads() && Files.exists(checkpoint));
    }

    /**
     * Initialises the network in the leading process, for gradient descent, or completely if no stage follows.
     *
     * @param validation null if there are no validation images, or if they are training images now
     * @return the classifier, if one was fitted
     */
    Optional<ClassifierFit.Fitted> initialise(
            Network network, ClassifierFit fit, Split[] splits, @Nullable BatchSource validation) throws IOException {
        return processes.onLeader(() -> start(network, fit, splits, validation)).flatMap(Function.identity());
    }

    /** Initialises the network in this process. */
    Optional<ClassifierFit.Fitted> start(
            Network network, ClassifierFit fit, Split[] splits, @Nullable BatchSource validation) {
        BatchSource training = cancellation.checking(data.cached(splits));
        new Initialisation(network, training, recipe.initialisation(), seed.child("start")).run();
        boolean ridge = recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
        return ridge || !recipe.stage1().runs()
                ? Optional.of(fit.apply(
                        0, cancellation.checking(data.fitting(splits)), checked(validation), Refit.ALWAYS, false))
                : Optional.empty();
    }

    /**
     * Trains the network on cached features. A closed-form classifier explains its training images so well that stage 2
     * would have nothing to learn from: it starts with the trained one.
     *
     * @param chosen null if validation images choose
     */
    Stage.Epochs first(Network network, Stage.@Nullable Epochs chosen) throws IOException {
        return run(
                new Stage(
                        1,
                        recipe.stage1(),
                        data.cached(chosen == null ? TRAINING : ALL),
                        chosen == null ? checkedAfterGrace(ifAny(data.cached(Split.VALIDATION))) : null,
                        seed.child("stage1"),
                        recipe.classes().weights(),
                        chosen),
                network,
                null);
    }

    /**
     * Trains the network and the backbone from images.
     *
     * @param chosen null if validation images choose
     */
    Stage.Epochs second(Network network, TrainableBackbone backbone, Stage.@Nullable Epochs chosen) throws IOException {
        return run(
                new Stage(
                        2,
                        recipe.stage2(),
                        backbone.augmented(chosen == null ? TRAINING : ALL),
                        chosen == null ? checkedAfterGrace(ifAny(backbone.images(Split.VALIDATION))) : null,
                        seed.child("stage2"),
                        recipe.classes().weights(),
                        chosen),
                network,
                backbone.parameters());
    }

    private Stage.Epochs run(Stage stage, Network network, @Nullable BackboneParameters backbone) throws IOException {
        if (stage.epochs() == 0) {
            return Stage.Epochs.NONE;
        }
        StageRunner runner = new StageRunner(stage, network, backbone, directory, context);
        return processes.run(runner, stage, context.listener());
    }

    private @Nullable BatchSource checked(@Nullable BatchSource images) {
        return images == null ? null : cancellation.checking(images);
    }

    private @Nullable BatchSource checkedAfterGrace(@Nullable BatchSource images) {
        return images == null ? null : cancellation.checkingAfterGrace(images);
    }

    /** Null if there are no images. */
    static @Nullable BatchSource ifAny(BatchSource images) {
        return images.count() == 0 ? null : images;
    }
}
