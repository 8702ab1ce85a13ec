package io.github.gramian.bench.quality;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.label.internal.DatasetFeatures;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.internal.RecipeBackbone;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * How well a model recognises unknown images: it is trained without some classes, and must tell images of these classes, and
 * images of another folder, from test images of the classes that it knows. Next to its novelty stand four scores that others use, on
 * the same images.
 *
 * @param recipe of the models; the backbone must be frozen
 * @param cache directory of the feature cache
 * @param folder for the runs
 * @param listener receives what happens
 */
public record UnknownBenchmark(Recipe recipe, Path cache, Path folder, TrainingListener listener) {

    /** Levels at which false alarms are counted. */
    public static final List<Double> LEVELS = List.of(0.01, 0.05, 0.1);

    /** Unknown images have none of the model's classes. Only scores are read, which do not depend on labels. */
    private static final int NO_LABEL = 0;

    /**
     * The findings of one draw.
     *
     * @param draw number of the draw
     * @param leftOut names of the classes that the model was not trained with
     * @param training number of training and validation images
     * @param known number of test images of known classes
     * @param unknown number of test images of the classes left out
     * @param outside number of images of the other folder
     * @param falseAlarms share of known test images whose novelty is below each level
     * @param leftOutFound the same of images of the classes left out; empty without them
     * @param outsideFound the same of images of the other folder; empty without them
     * @param leftOutAuroc area under the ROC curve by method, known images against images of classes left out
     * @param outsideAuroc the same against images of the other folder
     */
    public record Draw(
            int draw,
            List<String> leftOut,
            int training,
            int known,
            int unknown,
            int outside,
            Map<String, Double> falseAlarms,
            Map<String, Double> leftOutFound,
            Map<String, Double> outsideFound,
            Map<String, Double> leftOutAuroc,
            Map<String, Double> outsideAuroc) {}

    /** Scores by method; a larger one means more unlike the training images. */
    private record Scores(Map<String, double[]> byMethod) {

        static final String NOVELTY = "novelty";

        /** Novelty is small for unknown images, so it counts with the opposite sign. */
        double[] novelties() {
            double[] negative = byMethod.get(NOVELTY);
            return negative == null ? new double[0] : negate(negative);
        }
    }

    private static double[] negate(double[] values) {
        double[] negative = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            negative[i] = -values[i];
        }
        return negative;
    }

    /**
     * Trains a model on the classes that are left, and measures.
     *
     * @param dataset with its split for this draw
     * @param others images of another folder; may be empty
     * @param count number of classes to leave out
     */
    public Draw run(Dataset dataset, List<Path> others, int count, int draw) throws IOException {
        List<Integer> order = new ArrayList<>();
        for (int label = 0; label < dataset.classes().size(); label++) {
            order.add(label);
        }
        Collections.shuffle(order, new Random(draw));
        List<Integer> leftOut = order.subList(0, count);
        Map<Split, Map<Path, String>> training = new EnumMap<>(Split.class);
        Map<Path, String> kept = new HashMap<>();
        List<Path> left = new ArrayList<>();
        for (Split split : Split.values()) {
            Map<Path, String> files = new HashMap<>();
            for (Sample sample : dataset.samples(split)) {
                Path file = dataset.file(sample).toAbsolutePath();
                if (!leftOut.contains(sample.label())) {
                    files.put(file, dataset.classes().get(sample.label()));
                } else if (split == Split.TEST) {
                    left.add(file);
                }
            }
            training.put(split, files);
            kept.putAll(files);
        }
        Dataset own = Dataset.ofSplits(training);
        Path directory = folder.resolve("draw" + draw);
        Training.of(recipe)
                .on(own)
                .with(TrainingOptions.defaults(cache).withListener(listener).withoutReportData())
                .into(directory);
        Map<Split, Map<Path, String>> all = new EnumMap<>(Split.class);
        all.put(Split.TRAIN, kept);
        Map<Path, String> unknown = new LinkedHashMap<>();
        left.forEach(file -> unknown.put(file, "left out"));
        others.forEach(file -> unknown.put(file.toAbsolutePath(), "outside"));
        all.put(Split.TEST, unknown);
        List<String> names =
                leftOut.stream().map(dataset.classes()::get).sorted().toList();
        return measure(own, Dataset.ofSplits(all), new RunFolder(directory).model(), names, draw);
    }

    private Draw measure(Dataset own, Dataset all, Path model, List<String> leftOut, int draw) throws IOException {
        try (Backbone backbone = RecipeBackbone.load(recipe, TrainingListener.silent());
                DatasetFeatures features = DatasetFeatures.of(all, recipe, backbone, cache, listener);
                StoredModel file = StoredModel.open(model);
                Network network = file.network(recipe.backbone().head())) {
            NoveltyReference reference = file.reference()
                    .novelty()
                    .orElseThrow(() -> new ModelException("the model has no reference; train it with more images"));
            Map<Path, Sample> byFile = new HashMap<>();
            features.readable().forEach(sample -> byFile.put(all.file(sample), sample));
            List<Sample> training = new ArrayList<>();
            List<Integer> labels = new ArrayList<>();
            List<Sample> known = new ArrayList<>();
            for (Split split : Split.values()) {
                for (Sample sample : own.samples(split)) {
                    Sample same = byFile.get(own.file(sample));
                    if (same != null && split == Split.TEST) {
                        known.add(same);
                    } else if (same != null) {
                        training.add(same);
                        labels.add(sample.label());
                    }
                }
            }
            Baseline baseline = new Baseline(
                    averages(features.source(training)),
                    labels.stream().mapToInt(Integer::intValue).toArray());
            Map<String, List<Sample>> groups = new HashMap<>();
            for (Sample sample : features.readable()) {
                groups.computeIfAbsent(all.classes().get(sample.label()), name -> new ArrayList<>())
                        .add(sample);
            }
            List<Sample> left = groups.getOrDefault("left out", List.of());
            List<Sample> outside = groups.getOrDefault("outside", List.of());
            Scores ofKnown = scores(network, reference, features, known, baseline);
            Scores ofLeft = scores(network, reference, features, left, baseline);
            Scores ofOutside = scores(network, reference, features, outside, baseline);
            return new Draw(
                    draw,
                    leftOut,
                    training.size(),
                    known.size(),
                    left.size(),
                    outside.size(),
                    below(ofKnown),
                    below(ofLeft),
                    below(ofOutside),
                    aurocs(ofKnown, ofLeft),
                    aurocs(ofKnown, ofOutside));
        }
    }

    /** Average-pooled features of the training images, with their classes. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    private record Baseline(float[][] averages, int[] labels) {}

    private static Scores scores(
            Network network,
            NoveltyReference reference,
            DatasetFeatures features,
            List<Sample> samples,
            Baseline baseline) {
        Map<String, double[]> scores = new LinkedHashMap<>();
        if (samples.isEmpty()) {
            return new Scores(scores);
        }
        BatchSource source = features.source(samples.stream()
                .map(sample -> new Sample(sample.id(), sample.path(), NO_LABEL))
                .toList());
        List<Double> novelties = new ArrayList<>();
        List<Double> energies = new ArrayList<>();
        NetworkPredictions predictions =
                NetworkPredictions.of(network, source, source.inOrder(), NetworkPredictions.BATCH, views -> {
                    for (float[] row : HostCopy.rows(FeatureMaps.fuseViews(views, source.views()))) {
                        novelties.add(-reference.novelty(row));
                    }
                    double scale = network.config().logitScale();
                    float[] free = HostCopy.floats(FeatureMaps.fuseViews(
                            network.classify(views)
                                    .mul(scalar(scale))
                                    .logsumexp(1)
                                    .unsqueeze(1),
                            source.views()));
                    for (float value : free) {
                        energies.add(-(double) value);
                    }
                });
        double[] uncertain = new double[samples.size()];
        for (int i = 0; i < uncertain.length; i++) {
            float most = 0;
            for (float probability : predictions.probabilities()[i]) {
                most = Math.max(most, probability);
            }
            uncertain[i] = -most;
        }
        float[][] averages = averages(source);
        scores.put(Scores.NOVELTY, array(novelties));
        scores.put("maximum probability", uncertain);
        scores.put("energy", array(energies));
        scores.put("nearest neighbours on averages", AverageBaselines.nearest(baseline.averages(), averages));
        scores.put(
                "Mahalanobis on averages",
                AverageBaselines.mahalanobis(baseline.averages(), baseline.labels(), averages));
        return new Scores(scores);
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The last feature maps averaged over positions and views. */
    private static float[][] averages(BatchSource source) {
        List<float[]> rows = new ArrayList<>();
        try (BatchSource.Stream batches = source.open(source.inOrder(), NetworkPredictions.BATCH, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope scope = Scope.open()) {
                    rows.addAll(List.of(HostCopy.rows(
                            FeatureMaps.fuseViews(batches.next().maps().get(0).mean(2), source.views()))));
                }
            }
        }
        return rows.toArray(float[][]::new);
    }

    private static Map<String, Double> below(Scores scores) {
        Map<String, Double> shares = new LinkedHashMap<>();
        double[] novelties = scores.novelties();
        if (novelties.length > 0) {
            LEVELS.forEach(level -> shares.put(Double.toString(level), Separation.below(novelties, level)));
        }
        return shares;
    }

    private static Map<String, Double> aurocs(Scores known, Scores unknown) {
        Map<String, Double> areas = new LinkedHashMap<>();
        unknown.byMethod()
                .forEach((method, scores) -> areas.put(
                        method,
                        Separation.auroc(Objects.requireNonNull(known.byMethod().get(method)), scores)));
        return areas;
    }
}
