package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.SkippedFiles;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.ClassesConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.train.ModelSelection.SelectionFile;
import io.github.gramian.train.RunWriter.RunFacts;
import io.github.gramian.train.TrainingContext.RunStart;
import io.github.gramian.train.internal.RecipeBackbone;
import io.github.gramian.train.internal.SuspiciousLabels;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.DistributedTraining;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One training from its first feature to its scores; {@link #train} shows all steps. */
final class TrainingPipeline {

    private final TrainingContext context;
    private final Recipe recipe;
    private final @Nullable Dataset images;
    private final DistributedTraining processes;
    private final RunStart start;

    /** Facts about the run for its scores, by key. */
    private final Map<String, String> notes = new LinkedHashMap<>();

    private TrainingPipeline(TrainingContext context, @Nullable Dataset images) {
        this.images = images;
        this.context = context;
        this.recipe = context.recipe();
        this.processes = context.processes();
        this.start = new RunStart(context);
    }

    /**
     * Trains, or takes part in a training; the leading process gets the result, and the others get null.
     *
     * @param images instead of those that the recipe names; null for these
     */
    static @Nullable Run run(Recipe recipe, @Nullable Dataset images, Path directory, TrainingOptions options)
            throws IOException {
        try (TrainingContext context = TrainingContext.open(recipe, directory, options)) {
            return new TrainingPipeline(context, images).run();
        } catch (ProcessLostException e) {
            if (options.stop().getAsBoolean()) {
                throw new TrainingStopped(directory); // the other process was cancelled as well, and was faster
            }
            throw e;
        }
    }

    private @Nullable Run run() throws IOException {
        Dataset dataset = openDataset();
        try (Backbone backbone = RecipeBackbone.load(recipe, context.options().listener())) {
            noteWeights(dataset);
            try (Network network = network(backbone, dataset, recipe.network().on(backbone))) {
                // An invalid recipe is refused before hours are spent on features.
                new RecipeCheck(recipe, backbone, network)
                        .require(
                                RecipeBackbone.images(recipe, backbone).views(),
                                dataset.samples(Split.TRAIN).size());
                ClassifierFit.Plan closedForm = closedForm(dataset, network);
                try (FeatureSet data = start.features(dataset, backbone)) {
                    processes.requireTheSame(recipe, data.hash().sha256(), backbone.weightsHash());
                    return train(network, data, closedForm);
                }
            }
        }
    }

    /** Selects a model with validation images, unless an earlier part of this run did, and completes it. */
    private @Nullable Run train(Network network, FeatureSet data, ClassifierFit.Plan closedForm) throws IOException {
        FrozenFeatures frozen = data.frozen();
        RunInputs inputs = data.inputs(recipe);
        start.storeInputs(inputs).ifPresent(sentence -> notes.put("arithmetic", sentence));
        StageContext stages = start.stages(inputs);
        Optional<ModelSelection> selection = selectedBefore(stages);
        if (selection.isEmpty()) {
            boolean oneClass = data.dataset().classes().size() == 1; // which has no accuracy to report
            ClassifierFit fit = fit(network, closedForm, oneClass ? TrainingListener.silent() : stages.listener());
            HeadTraining head = new HeadTraining(context, stages, data, network, fit);
            HeadTraining.Selected selected = head.select();
            try (TrainedModel model = selected.model()) {
                if (!selected.selection()
                        .needsFinalTraining(
                                recipe, data.samples(Split.VALIDATION).size())) {
                    return finish(model, selected.selection(), OptionalInt.empty());
                }
            }
            selection = Optional.of(selected.selection());
        }
        try (Network again = network(frozen.backbone(), data.dataset(), network.config())) {
            ClassifierFit fit = fit(again, closedForm, TrainingListener.silent());
            HeadTraining head = new HeadTraining(context, stages, data, again, fit);
            try (TrainedModel model = head.retrain(selection.get())) {
                int images = data.samples(FeatureSet.ALL).size();
                return finish(model, selection.get(), OptionalInt.of(images));
            }
        }
    }

    /** Writes the model, evaluates it on the test images, and writes the scores. */
    private @Nullable Run finish(TrainedModel model, ModelSelection selection, OptionalInt finalImages)
            throws IOException {
        if (!processes.leads()) {
            return null;
        }
        RunWriter writer = new RunWriter(context, model.data());
        Path file = writer.writeModel(model, selection);
        ModelEvaluation evaluation =
                model.evaluate(file, writer.protocol(model.network().config()), context.cancellation());
        if (context.options().reportData()) {
            writer.writeReportData(model, evaluation.predictions());
            writeSuspects(
                    model.data(),
                    model.data().frozen().backbone(),
                    model.network().config());
        }
        return writer.writeScores(
                evaluation, new RunFacts(model, selection, finalImages, notes, processes.account(), context.seconds()));
    }

    /** Writes which training images have suspicious labels. */
    private void writeSuspects(FeatureSet data, Backbone backbone, NetworkConfig config) throws IOException {
        List<Sample> samples = data.samples(FeatureSet.ALL);
        List<String> classes = data.dataset().classes();
        if (SuspiciousLabels.canCompare(samples.size(), classes.size())) {
            BatchSource images = data.grouped(data.cached(FeatureSet.ALL), FeatureSet.ALL);
            try (Network untrained = network(backbone, data.dataset(), config)) {
                SuspiciousLabels.find(untrained, context.cancellation().checking(images), samples, classes, recipe)
                        .write(context.directory().suspects());
            } catch (IllegalArgumentException e) {
                String sentence = "labels: no training image was checked for a wrong label, because " + e.getMessage();
                notes.put("suspects", sentence);
                context.note(sentence);
            }
        }
    }

    /** Reports how different the weights of classes are. */
    private void noteWeights(Dataset dataset) {
        if (recipe.classes().weights() != ClassesConfig.Weights.NONE) {
            int[] labels = Stream.of(FeatureSet.ALL)
                    .flatMap(split -> dataset.samples(split).stream())
                    .mapToInt(Sample::label)
                    .toArray();
            DoubleSummaryStatistics weights = Arrays.stream(recipe.classes()
                            .weights()
                            .of(labels, dataset.classes().size()))
                    .summaryStatistics();
            String sentence = String.format(
                    Locale.ROOT,
                    "class weights: every class counts the same, so an image counts %.2f to %.2f times",
                    weights.getMin(),
                    weights.getMax());
            notes.put("classWeights", sentence);
            context.note(sentence);
        }
    }

    private Dataset openDataset() throws IOException {
        Dataset dataset = images == null ? recipe.data().open(context.seed()) : images;
        SkippedFiles.formats(DividedDataset.of(dataset).listing().skipped()).ifPresent(context::note);
        FeatureSet.requireTrainable(dataset, dataset.samples(Split.TRAIN), dataset.samples(Split.TEST));
        Layouts.oneClass(dataset).ifPresent(context::note);
        if (images == null && recipe.data().layout() == null) {
            Layouts.incomplete(dataset).ifPresent(context::note);
        }
        if (recipe.backbone().weights().isBlank()) {
            throw new IllegalArgumentException(
                    "no backbone is named; give backbone.weights, or --backbone on the command line");
        }
        return dataset;
    }

    private Network network(Backbone backbone, Dataset dataset, NetworkConfig config) {
        return new Network(
                config,
                FeatureMaps.channels(backbone, NetworkFeatures.of(config)),
                dataset.classes().size(),
                recipe.backbone().head(),
                context.seed().child("network"));
    }

    /** How a classifier is fitted in closed form. Only the leading process fits, so only its disk matters. */
    private ClassifierFit.Plan closedForm(Dataset dataset, Network network) throws IOException {
        ClassifierFit.Plan closedForm = ClassifierFit.Plan.of(
                recipe, dataset, network.descriptorLength(), context.directory().path());
        if (ClassifierFit.Plan.mayBeAsked(recipe)) {
            if (processes.leads()) {
                closedForm.requireDiskSpace(recipe.ridge());
                if (closedForm.isNoteworthy()) {
                    context.note(closedForm.sentence());
                }
            }
            if (closedForm.isNoteworthy()) {
                notes.put("classifier", closedForm.sentence());
            }
        }
        return closedForm;
    }

    private ClassifierFit fit(Network network, ClassifierFit.Plan closedForm, TrainingListener listener) {
        return new ClassifierFit(network, recipe.ridge(), closedForm, listener, context.cancellation());
    }

    /** The selection of an earlier part of this run, in all processes. */
    private Optional<ModelSelection> selectedBefore(StageContext stages) throws IOException {
        Optional<SelectionFile> file = processes.leads() ? SelectionFile.read(context.directory()) : Optional.empty();
        file.ifPresent(stored -> stored.requireInputs(context.directory(), stages.inputs()));
        return processes
                .fromLeader(file.map(stored -> ConfigJson.toJson(stored.selection())))
                .map(text -> ConfigJson.fromJson(text, ModelSelection.class));
    }
}
