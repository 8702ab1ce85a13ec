package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.internal.WeightSource;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.Evaluation;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.Provenance;
import io.github.gramian.run.internal.ReportDataCollector;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** The end of a run: writes the trained network as a model file, and evaluates it on the test images. */
final class ModelExport {

    /** A program's weights stay in its file. */
    private static final WeightSource UNKNOWN = name -> {
        throw new IllegalStateException("the backbone is not written into the model");
    };

    private final Recipe recipe;
    private final RunFolder folder;
    private final TrainingData data;
    private final Backbone frozen;
    private final List<Preprocessing> views;
    private final long started;
    private final boolean reportData;
    private final Map<String, @Nullable Object> more = new LinkedHashMap<>();
    private long learnedNumbers;

    /** @param started when the run was, by {@link System#nanoTime} */
    ModelExport(
            Recipe recipe,
            RunFolder folder,
            TrainingData data,
            FrozenFeatures features,
            long started,
            boolean reportData) {
        this.recipe = recipe;
        this.folder = folder;
        this.data = data;
        this.frozen = features.backbone();
        this.views = features.views();
        this.started = started;
        this.reportData = reportData;
    }

    /** Adds a fact about the run to the scores. */
    void note(String key, Object value) {
        more.put(key, value);
    }

    /** Adds how the fine-tuned model compares with the frozen one, if they were compared. */
    void noteFineTuning(TrainingEvent.@Nullable FineTuning found) {
        if (found != null) {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("frozen", found.frozen());
            facts.put("tuned", found.tuned());
            facts.put("images", found.images());
            facts.put("kept", found.kept());
            facts.put("sentence", found.sentence());
            note("fineTuning", facts);
        }
    }

    /** Adds that the model has learned from validation images as well, with what they had chosen. */
    void noteTrainingOnAll(ModelSelection choice) {
        int images = data.samples(Split.TRAIN, Split.VALIDATION).size();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("images", images);
        facts.put("stage1Epochs", choice.stage1().count());
        facts.put("stage2Epochs", choice.stage2().count());
        facts.put(
                "sentence",
                String.format(
                        Locale.ROOT,
                        "trained once more on all %,d training and validation images, %d epochs of stage 1 and %d of"
                                + " stage 2; the validation accuracy is that of the training before",
                        images,
                        choice.stage1().count(),
                        choice.stage2().count()));
        note("final", facts);
    }

    /**
     * Writes the model.
     *
     * @param learned weights of the backbone that training has changed, by name
     */
    void save(Network network, Map<String, Tensor> learned) throws IOException {
        learnedNumbers = learned.values().stream().mapToLong(Tensor::numel).sum();
        ModelDescription description = new ModelDescription(
                network.config(),
                network.inputChannels(),
                data.dataset().classes(),
                new ModelDescription.BackboneNote(
                        frozen.name(),
                        frozen.weightsHash(),
                        recipe.backbone().precision(),
                        frozen instanceof ConvolutionalBackbone),
                views,
                Optional.of(passport(network.config())),
                Provenance.of(recipe, data.hash().sha256()));
        if (!description.backbone().embedded()) {
            StoredModel.write(folder.model(), description, network, UNKNOWN, data.known());
            return;
        }
        try (SafetensorsFile file = SafetensorsFile.open(recipe.backbone().file())) {
            StoredModel.write(
                    folder.model(),
                    description,
                    network,
                    name -> {
                        Tensor changed = learned.get(name);
                        return changed == null ? file.tensor(name) : changed;
                    },
                    data.known());
        }
    }

    private EvaluationProtocol passport(NetworkConfig network) {
        return data.dataset()
                .passport(data.hash())
                .withViews(network.largestSize(), recipe.views().describe())
                .withBackbone(frozen.name() + " " + network.key(), frozen.weightsHash())
                .withSeed(recipe.seed())
                .withHardware(Engine.describe().line());
    }

    /** Scores what the model said of the test images, and writes everything that is known of the run. */
    Run evaluate(Network network, BatchSource test, List<Prediction> answers, @Nullable Double validationAccuracy)
            throws IOException {
        List<Sample> samples = data.samples(Split.TEST);
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            predictions.add(answers.get(i)
                    .withImage(samples.get(i).path())
                    .withTruth(samples.get(i).label()));
        }
        ModelEvaluation evaluation = ModelEvaluation.of(
                "test",
                data.dataset(),
                predictions,
                data.dataset().classes(),
                passport(network.config()),
                network.descriptorLength());
        if (reportData) {
            try (Scope scope = Scope.open()) {
                new ReportDataCollector(network, test, samples, data.dataset().classes())
                        .write(folder.reportData(), predictions);
            }
        }
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("validation", validationAccuracy == null ? null : Map.of("accuracy", validationAccuracy));
        facts.put("trainable", new TreeMap<>(Map.of("head", headNumbers(network), "backbone", learnedNumbers)));
        facts.put("seconds", Map.of("total", (System.nanoTime() - started) / 1e9));
        facts.putAll(more);
        // The scores come last: a run that has them is complete.
        evaluation.write(folder, facts);
        return new Run(folder.path(), evaluation.scores(), validationAccuracy);
    }

    /** What the network says of the test images, whose features were at hand. */
    List<Prediction> predicted(Evaluation evaluation) {
        List<String> classes = data.dataset().classes();
        return Arrays.stream(evaluation.probabilities())
                .map(row -> Prediction.of("", classes, row))
                .toList();
    }

    private static long headNumbers(Network network) {
        return network.parameters().stream()
                .filter(Parameter::trainable)
                .mapToLong(parameter -> parameter.value().numel())
                .sum();
    }

    /**
     * Predictions of the saved model for the test images; from image files, because the backbone has changed.
     *
     * @param ask called with each prediction; throws if a stop was requested
     */
    List<Prediction> predicted(Runnable ask) throws IOException {
        List<Path> files = data.samples(Split.TEST).stream()
                .map(sample -> data.dataset().file(sample))
                .toList();
        List<Prediction> answers = new ArrayList<>();
        try (BatchPredictor predictor = BatchPredictor.load(folder.model())) {
            predictor.predict(files, LoaderSettings.defaults(Evaluation.BATCH), answer -> {
                ask.run();
                answers.add(answer);
            });
        }
        return answers;
    }
}
