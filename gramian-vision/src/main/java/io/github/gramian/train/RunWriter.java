package io.github.gramian.train;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.ConvolutionalBackbone.WeightSource;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.ReportData;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Writes the result of a training into its run directory: the model, the data of the report, predictions and scores. */
final class RunWriter {

    private static final String DATE = "date";

    /** The weights of a scripted module remain in its file. */
    private static final WeightSource UNKNOWN = name -> {
        throw new IllegalStateException("the backbone is not written into the model");
    };

    private final Recipe recipe;
    private final RunFolder directory;
    private final FeatureSet data;
    private final FrozenFeatures frozen;
    private final CancellationToken cancellation;
    private final Consumer<String> notes;
    private final MapTraining maps;

    RunWriter(TrainingContext context, FeatureSet data) {
        this.recipe = context.recipe();
        this.directory = context.directory();
        this.data = data;
        this.frozen = data.frozen();
        this.cancellation = context.cancellation();
        this.notes = context::note;
        this.maps = new MapTraining(context, data);
    }

    /** The conditions under which a network is evaluated. */
    EvaluationProtocol protocol(NetworkConfig network) {
        return DividedDataset.of(data.dataset())
                .evaluationProtocol(data.hash())
                .withViews(network.largestSize(), recipe.views().describe())
                .withBackbone(
                        frozen.backbone().name() + " " + network.key(),
                        frozen.backbone().weightsHash())
                .withSeed(recipe.seed())
                .withHardware(Engine.describe().line());
    }

    /** Writes the model with what it stores about its images, and returns its file. */
    Path writeModel(TrainedModel model, ModelSelection selection) throws IOException {
        boolean retrained = selection.needsFinalTraining(
                recipe, data.samples(Split.VALIDATION).size());
        ModelCertainty certainty = new ModelCertainty(
                new TrainedCertainty(model, cancellation).novelty(selection, retrained),
                Optional.ofNullable(selection.classifier().sets()));
        certainty.limits().forEach(notes);
        Network network = model.network();
        ModelDescription description = new ModelDescription(
                network.config(),
                network.inputChannels(),
                data.dataset().classes(),
                new ModelDescription.BackboneNote(
                        frozen.backbone().name(),
                        frozen.backbone().weightsHash(),
                        recipe.backbone().precision(),
                        frozen.backbone() instanceof ConvolutionalBackbone),
                frozen.views(),
                Optional.of(protocol(network.config())),
                provenance());
        TrainingImages images = new TrainingImages(data.known(), certainty, maps.fit());
        if (!description.backbone().embedded()) {
            StoredModel.write(directory.model(), description, network, UNKNOWN, images);
            return directory.model();
        }
        Map<String, Tensor> learned = model.learned();
        try (SafetensorsFile file = SafetensorsFile.open(recipe.backbone().file())) {
            WeightSource weights = name -> {
                Tensor changed = learned.get(name);
                return changed == null ? file.tensor(name) : changed;
            };
            StoredModel.write(directory.model(), description, network, weights, images);
        }
        return directory.model();
    }

    /**
     * Where the model comes from: versions, recipe, hash of the data and date, by name. If the run already has a model that differs
     * only in the date, that date stays: a resumed run then writes the same bytes, and an index that names its model stays valid.
     */
    private Map<String, String> provenance() throws IOException {
        Map<String, String> now = new TreeMap<>();
        now.put("gramian", GramianVersion.text());
        now.put("libtorch", Engine.describe().version());
        now.put("java", Runtime.version().toString());
        now.put("recipe", RecipeFile.text(recipe));
        now.put("data.sha256", data.hash().sha256());
        now.put(DATE, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        if (!Files.exists(directory.model())) {
            return now;
        }
        try (StoredModel earlier = StoredModel.open(directory.model())) {
            Map<String, String> before = earlier.description().provenance();
            return withoutDate(before).equals(withoutDate(now)) ? before : now;
        } catch (ModelException damaged) {
            return now;
        }
    }

    private static Map<String, String> withoutDate(Map<String, String> facts) {
        Map<String, String> rest = new TreeMap<>(facts);
        rest.remove(DATE);
        return rest;
    }

    /** Writes what the report draws: matrices, and a map of the test images. */
    void writeReportData(TrainedModel model, List<Prediction> predictions) throws IOException {
        try (Scope scope = Scope.open()) {
            new ReportData.Collector(
                            model.network(),
                            cancellation.checking(model.images(Split.TEST)),
                            data.samples(Split.TEST),
                            data.dataset().classes())
                    .write(directory.reportData(), predictions);
        }
    }

    /** Writes predictions and scores. They come last: a run that has scores is complete. */
    Run writeScores(ModelEvaluation evaluation, RunFacts facts) throws IOException {
        evaluation.write(directory, facts.asMap());
        return new Run(directory.path(), evaluation.scores(), facts.validationAccuracy());
    }

    /**
     * What {@code scores.json} reports of a training in addition to its scores.
     *
     * @param model that was trained
     * @param selection what validation images have selected
     * @param finalImages number of images of the final retraining; empty if there was none
     * @param notes sentences about the classifier and the arithmetic, by key
     * @param processes number of processes and their waiting time; empty for a single process
     * @param seconds that the training took
     */
    record RunFacts(
            TrainedModel model,
            ModelSelection selection,
            OptionalInt finalImages,
            Map<String, String> notes,
            Optional<Map<String, Object>> processes,
            double seconds) {

        /** Null if there were no validation images. */
        @Nullable
        Double validationAccuracy() {
            return selection.classifier().validationAccuracy();
        }

        /** All facts, in the order of the file. */
        Map<String, @Nullable Object> asMap() {
            Map<String, @Nullable Object> facts = new LinkedHashMap<>();
            Double accuracy = validationAccuracy();
            facts.put("validation", accuracy == null ? null : Map.of("accuracy", accuracy));
            facts.put("trainable", new TreeMap<>(Map.of("head", headValues(), "backbone", backboneValues())));
            facts.put("seconds", Map.of("total", seconds));
            facts.putAll(notes);
            finalImages.ifPresent(images -> facts.put("final", finalTraining(images)));
            if (selection.fineTuning() != null) {
                facts.put("fineTuning", fineTuning(selection.fineTuning()));
            }
            processes.ifPresent(account -> facts.put("processes", account));
            return facts;
        }

        private long headValues() {
            return model.network().parameters().stream()
                    .filter(Parameter::trainable)
                    .mapToLong(parameter -> parameter.value().numel())
                    .sum();
        }

        private long backboneValues() {
            return model.learned().values().stream().mapToLong(Tensor::numel).sum();
        }

        private Map<String, Object> finalTraining(int images) {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("images", images);
            facts.put("stage1Epochs", selection.stage1().count());
            facts.put("stage2Epochs", selection.stage2().count());
            facts.put(
                    "sentence",
                    String.format(
                            Locale.ROOT,
                            "trained again on all %,d training and validation images, %d epochs of stage 1 and %d of"
                                    + " stage 2; the validation accuracy is that of the previous training",
                            images,
                            selection.stage1().count(),
                            selection.stage2().count()));
            return facts;
        }

        private static Map<String, Object> fineTuning(TrainingEvent.FineTuning found) {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("frozen", found.frozen());
            facts.put("tuned", found.tuned());
            facts.put("images", found.images());
            facts.put("kept", found.kept());
            facts.put("sentence", found.sentence());
            return facts;
        }
    }
}
