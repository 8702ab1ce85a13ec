package io.github.gramian.train;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.ConvolutionalBackbone.WeightSource;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.Provenance;
import io.github.gramian.run.internal.ReportDataCollector;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.bytedeco.pytorch.Tensor;

/** Writes the result of a training into its run directory: the model, the data of the report, predictions and scores. */
final class RunWriter {

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

    RunWriter(TrainingContext context, FeatureSet data, FrozenFeatures frozen) {
        this.recipe = context.recipe();
        this.directory = context.directory();
        this.data = data;
        this.frozen = frozen;
        this.cancellation = context.cancellation();
        this.notes = context::note;
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
        TrainingImages images = new TrainingImages(data.known(), certainty);
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

    /** Where the model comes from. If the run already has a model of the same training, its date stays. */
    private Map<String, String> provenance() throws IOException {
        Map<String, String> now = Provenance.of(recipe, data.hash().sha256());
        if (!Files.exists(directory.model())) {
            return now;
        }
        try (StoredModel earlier = StoredModel.open(directory.model())) {
            return Provenance.keepingDate(earlier.description().provenance(), now);
        } catch (ModelException damaged) {
            return now;
        }
    }

    /** Writes what the report draws: matrices, and a map of the test images. */
    void writeReportData(TrainedModel model, List<Prediction> predictions) throws IOException {
        try (Scope scope = Scope.open()) {
            new ReportDataCollector(
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
}
