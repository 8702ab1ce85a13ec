package io.github.gramian.train;

import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.Refit;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.Evaluation;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.run.internal.RunLock;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.ridge.internal.ClosedForm;
import io.github.gramian.train.ridge.internal.RidgeMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One training from its first feature to its scores; {@link Training} says what it does. */
final class TrainingJob {

    private static final int BATCH = 32;

    private final Recipe recipe;
    private final RunFolder folder;
    private final TrainingOptions options;
    private final Seed seed;
    private final ProcessGroup group;
    private final DistributedTraining shared;
    private final StopRequest stop;
    private final long started = System.nanoTime();

    private TrainingJob(Recipe recipe, Path folder, TrainingOptions options, ProcessGroup group) {
        this.recipe = recipe;
        this.folder = new RunFolder(folder);
        this.options = options;
        this.group = group;
        this.shared = new DistributedTraining(group, options.listener());
        this.stop = new StopRequest(options.stop(), folder);
        this.seed = new Seed(recipe.seed());
    }

    /** Trains, or takes part in a training; what came out is with the first process, and null in the others. */
    static @Nullable Run run(Recipe recipe, Path folder, TrainingOptions options) throws IOException {
        DistributedTraining.requireSharing(recipe, options.distributed());
        boolean leads = options.distributed().leads();
        try (RunLock lock = leads ? RunLock.take(new RunFolder(folder)) : null;
                ProcessGroup group = ProcessGroup.join(
                        options.distributed(), recipe.backbone().device())) {
            return new TrainingJob(recipe, folder, options, group).run();
        } catch (ProcessLostException lost) {
            if (options.stop().getAsBoolean()) {
                throw new TrainingStopped(folder); // the other process was asked to stop as well, and was faster
            }
            throw lost;
        }
    }

    private @Nullable Run run() throws IOException {
        Dataset dataset = recipe.data().open(seed);
        TrainingData.requireTrainable(dataset, dataset.samples(Split.TRAIN), dataset.samples(Split.TEST));
        if (recipe.backbone().weights().isBlank()) {
            throw new IllegalArgumentException(
                    "no backbone is named; give backbone.weights, or --backbone on the command line");
        }
        try (ConvolutionalBackbone frozen =
                WeightsFile.load(recipe.backbone().file(), recipe.backbone().frozen())) {
            NetworkConfig network = recipe.network().on(frozen);
            FrozenFeatures features = new FrozenFeatures(frozen, views(frozen, false));
            List<Integer> channels = FeatureMaps.channels(frozen, network.features());
            try (Network trained = new Network(
                    network,
                    channels,
                    dataset.classes().size(),
                    recipe.backbone().head(),
                    seed.child("network"))) {
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
        if (mayFit() && group.distributed().leads()) {
            closedForm.requireRoom(recipe.ridge());
            if (closedForm.method() != RidgeMethod.DUAL) {
                options.listener().onEvent(new TrainingEvent.Note(closedForm.sentence()));
            }
        }
        return closedForm;
    }

    /** Whether a classifier in closed form is ever asked for. */
    private boolean mayFit() {
        return recipe.refit() != Refit.NEVER
                || !recipe.stage1().runs()
                || recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
    }

    /** The first process before the others, which then find the features where they share a disk with it. */
    private TrainingData preparedInTurn(Dataset dataset, NetworkConfig network, FrozenFeatures features)
            throws IOException {
        TrainingOptions asking = options.withListener(options.listener().and(event -> stop.obey()));
        return shared.inTurn(
                () -> prepared(dataset, network, features, asking),
                () -> TrainingData.prepare(
                        dataset, network, features, recipe.backbone().head(), asking, sums -> {}));
    }

    /** Features of all images. A dataset that turns out to be unusable leaves no run folder behind. */
    private TrainingData prepared(
            Dataset dataset, NetworkConfig network, FrozenFeatures features, TrainingOptions asking)
            throws IOException {
        boolean started = Files.exists(folder.recipe());
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
        } catch (DatasetException useless) {
            if (!started) {
                leaveNothing(useless);
            }
            throw useless;
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
        if (closedForm.method() != RidgeMethod.DUAL && mayFit()) {
            export.note("classifier", closedForm.sentence());
        }
        RunInputs inputs = data.inputs(recipe, features.backbone().weightsHash());
        if (group.distributed().leads()) {
            inputs.requireUnchanged(folder, true);
            inputs.keep(folder);
        }
        EventLog log = group.distributed().leads() ? EventLog.open(folder.events(), resumedLines()) : EventLog.none();
        RunContext context = new RunContext(
                options.listener().and(log), log, options.stop(), options.checkpointEvery(), group, inputs.hashes());
        TrainingListener stoppable = context.listener().and(event -> {
            if (event instanceof TrainingEvent.Note) { // a long fit says now and then how far it is
                stop.obey();
            }
        });
        try (ClassifierFit fit = new ClassifierFit(network, recipe.ridge(), closedForm, stoppable)) {
            return train(features.views(), data, network, fit, context, export);
        }
    }

    private @Nullable Run train(
            List<Preprocessing> views,
            TrainingData data,
            Network network,
            ClassifierFit fit,
            RunContext context,
            ModelExport export)
            throws IOException {
        CachedFeatures training = data.cached(Split.TRAIN);
        CachedFeatures validation = nullIfEmpty(data.cached(Split.VALIDATION));
        boolean fineTuning = recipe.stage2().runs();
        if (fineTuning && begun(2)) {
            return secondStage(views, data, network, fit, context, export);
        }
        ClassifierFit.Applied applied = firstStage(network, training, validation, fit, context);
        if (fineTuning) {
            return secondStage(views, data, network, fit, context, export);
        }
        if (!group.distributed().leads()) {
            return null;
        }
        fitToAll(fit, applied, stop.obeyed(training), stop.obeyedIfAny(validation));
        BatchSource test = stop.obeyed(data.cached(Split.TEST));
        export.save(network, Map.of());
        shared.note(export);
        Evaluation found = Evaluation.of(network, test, BATCH);
        return export.evaluate(network, test, export.predicted(found), applied.validationAccuracy());
    }

    /** A closed-form classifier that stays is fitted again with the validation images, which are no longer needed. */
    private static void fitToAll(
            ClassifierFit fit, ClassifierFit.Applied applied, BatchSource training, @Nullable BatchSource validation) {
        if (applied.fitted() && validation != null) {
            fit.applyToAll(training, validation, applied);
        }
    }

    /** Initialises the network and trains it on cached features, then fits the classifier where no stage 2 follows. */
    private ClassifierFit.Applied firstStage(
            Network network,
            CachedFeatures training,
            @Nullable CachedFeatures validation,
            ClassifierFit fit,
            RunContext context)
            throws IOException {
        boolean descends = recipe.stage1().runs();
        boolean leads = group.distributed().leads();
        Optional<ClassifierFit.Applied> start = group.independently(() -> leads && !Files.exists(folder.last(1))
                ? started(network, stop.obeyed(training), stop.obeyedIfAny(validation), fit)
                : Optional.empty());
        if (start.isPresent() && !descends) {
            return start.get();
        }
        if (descends) {
            shared.descend(
                    new Trainer(
                            new Stage(1, recipe.stage1(), training, stop.obeyedSoon(validation), seed.child("stage1")),
                            network,
                            null,
                            folder,
                            context),
                    1);
        }
        // A closed-form classifier explains its training images so well that stage 2 would have nothing to learn from.
        return recipe.stage2().runs() || !leads
                ? ClassifierFit.Applied.kept(null)
                : fit.apply(1, stop.obeyed(training), stop.obeyedIfAny(validation), recipe.refit(), true);
    }

    /** Initialises the network for descent, or completely without descent, and returns the fit. */
    private Optional<ClassifierFit.Applied> started(
            Network network, BatchSource training, @Nullable BatchSource validation, ClassifierFit fit) {
        new Initialisation(network, training, recipe.initialisation(), seed.child("start")).run();
        boolean ridge = recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
        return ridge || !recipe.stage1().runs()
                ? Optional.of(fit.apply(0, training, validation, Refit.ALWAYS, false))
                : Optional.empty();
    }

    private @Nullable Run secondStage(
            List<Preprocessing> views,
            TrainingData data,
            Network network,
            ClassifierFit fit,
            RunContext context,
            ModelExport export)
            throws IOException {
        BackboneOptions learning = recipe.backbone()
                .frozen()
                .trainableFrom(Objects.requireNonNull(recipe.stage2().trainFrom()));
        List<String> taps =
                network.config().branches().stream().map(BranchConfig::tap).toList();
        try (ConvolutionalBackbone trunk = WeightsFile.load(recipe.backbone().file(), learning);
                BackboneParameters parameters = new BackboneParameters(trunk, taps)) {
            LiveFeatures training = data.live(Split.TRAIN, trunk, views(trunk, true));
            BatchSource plain = stop.obeyed(data.live(Split.TRAIN, trunk, views));
            LiveFeatures validation = nullIfEmpty(data.live(Split.VALIDATION, trunk, views));
            shared.descend(
                    new Trainer(
                            new Stage(2, recipe.stage2(), training, stop.obeyedSoon(validation), seed.child("stage2")),
                            network,
                            parameters,
                            folder,
                            context),
                    2);
            if (!group.distributed().leads()) {
                return null;
            }
            ClassifierFit.Applied applied = fit.apply(2, plain, stop.obeyedIfAny(validation), recipe.refit(), true);
            fitToAll(fit, applied, plain, stop.obeyedIfAny(validation));
            export.save(network, trunk.parameters());
            shared.note(export);
            BatchSource test = stop.obeyed(data.live(Split.TEST, trunk, views));
            return export.evaluate(network, test, export.predicted(stop::obey), applied.validationAccuracy());
        }
    }

    /** Whether a stage has left a checkpoint, as the first process sees it. */
    private boolean begun(int stage) {
        return group.asFirst(group.distributed().leads() && Files.exists(folder.last(stage)));
    }

    private int resumedLines() throws IOException {
        for (int stage : new int[] {2, 1}) {
            if (Files.exists(folder.last(stage))) {
                return Checkpoint.position(folder.last(stage)).events();
            }
        }
        return 0;
    }

    private List<Preprocessing> views(ConvolutionalBackbone backbone, boolean training) {
        return recipe.network().scales().stream()
                .map(scale -> training
                        ? recipe.views().training(scale.size(), backbone.normalisation())
                        : recipe.views().test(scale.size(), backbone.normalisation()))
                .toList();
    }

    private static <S extends BatchSource> @Nullable S nullIfEmpty(S source) {
        return source.count() == 0 ? null : source;
    }
}
