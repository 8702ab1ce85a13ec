package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.UnreadFormats;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.Evaluation;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.RunArithmetic;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.run.internal.RunLock;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.RecipeBackbone;
import io.github.gramian.train.ridge.internal.ClosedForm;
import io.github.gramian.train.ridge.internal.RidgeMethod;
import io.github.gramian.train.stage.internal.Checkpoint;
import io.github.gramian.train.stage.internal.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One training from its first feature to its scores; {@link Training} says what it does. */
final class TrainingPipeline {

    private final Recipe recipe;
    private final RunFolder folder;
    private final TrainingOptions options;
    private final Seed seed;
    private final ProcessGroup group;
    private final DistributedTraining shared;
    private final CancellationToken cancellation;
    private final long started = System.nanoTime();

    private TrainingPipeline(Recipe recipe, Path folder, TrainingOptions options, ProcessGroup group) {
        this.recipe = recipe;
        this.folder = new RunFolder(folder);
        this.options = options;
        this.group = group;
        this.shared = new DistributedTraining(group, options.listener());
        this.cancellation = new CancellationToken(options.stop(), () -> new TrainingStopped(folder));
        this.seed = new Seed(recipe.seed());
    }

    /** Trains, or takes part in a training; what came out is with the first process, and null in the others. */
    static @Nullable Run run(Recipe recipe, Path folder, TrainingOptions options) throws IOException {
        DistributedTraining.requireSharing(recipe, options.distributed());
        boolean leads = options.distributed().leads();
        try (RunLock lock = leads ? RunLock.take(new RunFolder(folder)) : null;
                ProcessGroup group = ProcessGroup.join(
                        options.distributed(), recipe.backbone().device())) {
            return new TrainingPipeline(recipe, folder, options, group).run();
        } catch (ProcessLostException e) {
            if (options.stop().getAsBoolean()) {
                throw new TrainingStopped(folder); // the other process was asked to stop as well, and was faster
            }
            throw e;
        }
    }

    private @Nullable Run run() throws IOException {
        Dataset dataset = recipe.data().open(seed);
        UnreadFormats.sentence(dataset.listing().skipped())
                .ifPresent(sentence -> options.listener().onEvent(new TrainingEvent.Note(sentence)));
        TrainingData.requireTrainable(dataset, dataset.samples(Split.TRAIN), dataset.samples(Split.TEST));
        if (recipe.backbone().weights().isBlank()) {
            throw new IllegalArgumentException(
                    "no backbone is named; give backbone.weights, or --backbone on the command line");
        }
        try (Backbone frozen = RecipeBackbone.load(recipe, options.listener())) {
            NetworkConfig network = recipe.network().on(frozen);
            FrozenFeatures features = new FrozenFeatures(frozen, views(frozen));
            try (Network trained = network(frozen, dataset, network)) {
                // An invalid recipe is refused before hours are spent on features.
                new RecipeCheck(recipe, frozen, trained)
                        .require(features.views(), dataset.samples(Split.TRAIN).size());
                ClosedForm closedForm = closedForm(dataset, trained);
                try (TrainingData data = preparedInTurn(dataset, network, features)) {
                    shared.requireTheSame(recipe, data.hash().sha256(), frozen.weightsHash());
                    return train(features, data, trained, closedForm);
                }
            }
        }
    }

    /** Only the first process fits, so only its disk matters. */
    private ClosedForm closedForm(Dataset dataset, Network network) throws IOException {
        ClosedForm closedForm = ClosedForm.of(recipe, dataset, network.descriptorLength(), folder.path());
        if (ClosedForm.mayBeAsked(recipe) && group.distributed().leads()) {
            closedForm.requireRoom(recipe.ridge());
            if (closedForm.method() != RidgeMethod.DUAL) {
                options.listener().onEvent(new TrainingEvent.Note(closedForm.sentence()));
            }
        }
        return closedForm;
    }

    /** The first process before the others, which then find the features where they share a disk with it. */
    private TrainingData preparedInTurn(Dataset dataset, NetworkConfig network, FrozenFeatures features)
            throws IOException {
        TrainingOptions asking = options.withListener(options.listener().and(event -> cancellation.check()));
        return shared.inTurn(
                () -> prepared(dataset, network, features, asking),
                () -> TrainingData.prepare(
                        dataset, network, features, recipe.backbone().head(), asking, sums -> {}));
    }

    /** Features of all images. A dataset that turns out to be unusable leaves no run folder behind. */
    private TrainingData prepared(
            Dataset dataset, NetworkConfig network, FrozenFeatures features, TrainingOptions asking)
            throws IOException {
        boolean resumed = Files.exists(folder.recipe());
        claim();
        try {
            return TrainingData.prepare(
                    dataset,
                    network,
                    features,
                    recipe.backbone().head(),
                    asking,
                    sums -> RunInputs.of(recipe, features.backbone().weightsHash(), dataset, sums, Set.of())
                            .requireUnchanged(folder, false));
        } catch (DatasetException e) {
            if (!resumed) {
                leaveNothing(e);
            }
            throw e;
        }
    }

    /** Removes the recipe (the lock removes the folder); if that fails, the original error is still reported. */
    private void leaveNothing(DatasetException reason) {
        try {
            Files.deleteIfExists(folder.recipe());
        } catch (IOException failure) {
            reason.addSuppressed(failure);
        }
    }

    /** Writes the recipe first, so that a stopped run can be resumed. */
    private void claim() throws IOException {
        if (Files.exists(folder.recipe())) {
            Recipe there = RecipeFile.readKept(folder.recipe());
            if (!there.equals(recipe)) {
                throw new IllegalArgumentException(
                        folder.path() + " holds a run of another recipe; choose another --out, or"
                                + " resume it with: gramian resume " + folder.path());
            }
        } else {
            RecipeFile.keep(folder.recipe(), recipe);
        }
    }

    private @Nullable Run train(FrozenFeatures features, TrainingData data, Network network, ClosedForm closedForm)
            throws IOException {
        ModelExport export = new ModelExport(recipe, folder, data, features, started, options.reportData());
        if (closedForm.method() != RidgeMethod.DUAL && ClosedForm.mayBeAsked(recipe)) {
            export.note("classifier", closedForm.sentence());
        }
        RunInputs inputs = data.inputs(recipe, features.backbone().weightsHash());
        boolean leads = group.distributed().leads();
        if (leads) {
            inputs.requireUnchanged(folder, true);
            RunArithmetic arithmetic =
                    RunArithmetic.in(folder, group.distributed().size());
            inputs.keep(folder, arithmetic);
            arithmetic.warning().ifPresent(sentence -> {
                options.listener().onEvent(new TrainingEvent.Note(sentence));
                export.note("arithmetic", sentence);
            });
        }
        EventLog log = leads ? EventLog.open(folder.events(), resumedLines()) : EventLog.none();
        StageContext context = new StageContext(
                options.listener().and(log), log, cancellation, options.checkpointEvery(), group, inputs.hashes());
        TrainingSteps steps = new TrainingSteps(recipe, folder, context, shared, closedForm);
        Optional<ModelSelection> choice = steps.kept();
        if (choice.isEmpty()) {
            try (Trained trained = new Trained(recipe, data, features.views(), network)) {
                choice = Optional.of(steps.choose(trained));
                if (!steps.trainsOnAll(choice.get(), trained)) {
                    return leads ? finished(trained, choice.get(), export) : null;
                }
            }
        }
        try (Network again = network(features.backbone(), data.dataset(), network.config());
                Trained trained = new Trained(recipe, data, features.views(), again)) {
            steps.trainOnAll(trained, choice.get());
            export.noteTrainingOnAll(choice.get());
            return leads ? finished(trained, choice.get(), export) : null;
        }
    }

    /** Saves the model, then evaluates it on the test images. */
    private Run finished(Trained trained, ModelSelection choice, ModelExport export) throws IOException {
        Network network = trained.network();
        BatchSource test = cancellation.checking(trained.images(Split.TEST));
        export.noteFineTuning(choice.fineTuning());
        export.save(network, trained.learned());
        shared.note(export);
        List<Prediction> predictions = choice.tuned()
                ? export.predicted(cancellation::check)
                : export.predicted(Evaluation.of(network, test, Evaluation.BATCH));
        return export.evaluate(network, test, predictions, choice.classifier().validationAccuracy());
    }

    private Network network(Backbone backbone, Dataset dataset, NetworkConfig config) {
        return new Network(
                config,
                FeatureMaps.channels(backbone, NetworkFeatures.of(config)),
                dataset.classes().size(),
                recipe.backbone().head(),
                seed.child("network"));
    }

    /** Lines of the event log that belong to what was done: the newest checkpoint knows. */
    private int resumedLines() throws IOException {
        Optional<ModelSelection> choice = ModelSelection.kept(folder);
        for (Path checkpoint :
                List.of(folder.lastOnAll(2), folder.lastOnAll(1), folder.choice(), folder.last(2), folder.last(1))) {
            if (Files.exists(checkpoint)) {
                return checkpoint.equals(folder.choice())
                        ? choice.orElseThrow().events()
                        : Checkpoint.position(checkpoint).events();
            }
        }
        return 0;
    }

    private List<Preprocessing> views(Backbone backbone) {
        return NetworkFeatures.of(recipe.network()).scales().stream()
                .map(scale -> recipe.views().test(scale.size(), backbone.normalisation()))
                .toList();
    }
}
