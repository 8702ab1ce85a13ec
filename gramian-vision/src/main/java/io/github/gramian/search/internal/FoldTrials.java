package io.github.gramian.search.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.ridge.internal.CrossValidation;
import io.github.gramian.train.ridge.internal.VersionFolds;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Scores candidates by repeated folds: the network starts as in a training (principal components, codebooks and means of the
 * rung's features, without a label), describes every image once, and the classifier in closed form predicts each fold from
 * the others. For a robust model, each repetition predicts a corrupted copy of the left-out images ({@link Objective}).
 */
final class FoldTrials implements Halving.Trials {

    /** Penalties of the folds, relative as in a recipe: one a decade, since accuracies are flat between them. */
    private static final List<Double> LAMBDAS = List.of(0.001, 0.01, 0.1, 1.0, 10.0);

    /** Seconds an image before anything was measured. */
    private static final double GUESS = 0.02;

    /** Trials on more images take longer than in proportion: fits grow with the cube. */
    private static final double GROWTH = 1.5;

    private final Backbone backbone;
    private final SearchImages images;
    private final SearchFeatures features;
    private final Counts counts;
    private final Runnable cancelled;
    private final TrainingListener listener;
    private final Map<String, TrialResult> done = new HashMap<>();
    private boolean warned;

    /**
     * What decides the time of a training, next to the candidate.
     *
     * @param labelled images for training and validation
     * @param test images
     * @param backboneBytes size of the backbone's file
     * @param loadSeconds time to open the dataset and the backbone, which the training does again
     */
    record Counts(int labelled, int test, long backboneBytes, double loadSeconds) {}

    /** @param cancelled throws if the search was cancelled */
    FoldTrials(
            Backbone backbone,
            SearchImages images,
            SearchFeatures features,
            Counts counts,
            Runnable cancelled,
            TrainingListener listener) {
        this.backbone = backbone;
        this.images = images;
        this.features = features;
        this.counts = counts;
        this.cancelled = cancelled;
        this.listener = listener;
    }

    /** A trial of an earlier process, to estimate times with. */
    void learn(TrialResult trial) {
        done.put(trial.candidate() + " " + trial.rung(), trial);
    }

    @Override
    public double seconds(Candidate candidate, int rung) {
        return features.seconds(candidate, rung) + scoring(candidate, rung);
    }

    /** From a trial of the candidate on fewer images; otherwise from others on as many, by the positions they aggregate. */
    private double scoring(Candidate candidate, int rung) {
        int size = images.rungs().get(rung).size();
        for (int below = rung; below >= 0; below--) {
            TrialResult known = done.get(candidate.name() + " " + below);
            if (known != null) {
                return known.seconds() * Math.pow((double) size / known.images(), GROWTH);
            }
        }
        OptionalDouble others = done.values().stream()
                .mapToDouble(trial -> trial.seconds() * Math.pow((double) size / trial.images(), GROWTH))
                .average();
        return others.orElse(GUESS * size) * Math.max(1, candidate.work());
    }

    @Override
    public double trainingSeconds(Candidate candidate) {
        int last = images.last();
        int known = images.rungs().get(last).size();
        double perImage = features.secondsPerImage(candidate);
        int left = counts.labelled() - known;
        return counts.loadSeconds()
                + (counts.test() + left * features.fittedVersions(candidate)) * perImage
                + features.trainingSeconds(candidate, last)
                + scoring(candidate, last) * (counts.labelled() + counts.test()) / known;
    }

    @Override
    public double trainingSeconds(Candidate candidate, Candidate tried, int rung) {
        return trainingSeconds(candidate) - features.sharedSeconds(candidate, tried, rung);
    }

    @Override
    public TrialResult run(Candidate candidate, int rung, Runnable inTime) throws IOException {
        cancelled.run();
        Runnable alive = () -> {
            cancelled.run();
            inTime.run();
        };
        features.fill(candidate, rung, alive);
        long start = System.nanoTime();
        List<Sample> all = images.rungs().get(rung);
        List<Sample> readable =
                all.stream().filter(sample -> !features.isBroken(sample)).toList();
        Seed seed = new Seed(candidate.recipe().seed());
        StratifiedFolds folds = StratifiedFolds.of(readable, images.groups(), images.undivided(), seed);
        warn(folds);
        BatchSource source = CancellationToken.checking(features.source(candidate, readable), alive);
        NetworkConfig config = features.network(candidate);
        try (Scope scope = Scope.open();
                Network network = new Network(
                        config,
                        FeatureMaps.channels(backbone, NetworkFeatures.of(config)),
                        images.classes().size(),
                        candidate.recipe().backbone().head(),
                        seed.child("network"))) {
            new Initialisation(network, source, candidate.recipe().initialisation(), seed.child("start"))
                    .runForClosedForm();
            boolean versions = features.evaluatesOthers(candidate);
            BatchSource described =
                    versions ? CancellationToken.checking(features.allVersions(candidate, readable), alive) : source;
            Recipe recipe = candidate.recipe();
            try (CrossValidation folded = CrossValidation.of(
                    network, described, recipe.ridge(), recipe.classes().weights())) {
                alive.run();
                List<int[]> predicted = versions
                        ? new VersionFolds(folded, readable.size(), features.fittedVersions(candidate))
                                .predict(folds.assignments(), LAMBDAS)
                        : folded.predict(folds.assignments(), images.numbers(readable), LAMBDAS);
                TrialResult result = new TrialResult(
                        candidate.name(),
                        rung,
                        hits(all, predicted),
                        network.descriptorLength(),
                        counts.backboneBytes() + bytes(network),
                        1e3 * features.secondsPerImage(candidate),
                        1e3 * folded.describeSeconds(),
                        (System.nanoTime() - start) / 1e9);
                learn(result);
                return result;
            }
        }
    }

    private String hits(List<Sample> all, List<int[]> predicted) {
        StringBuilder hits = new StringBuilder();
        int row = 0;
        for (Sample sample : all) {
            if (features.isBroken(sample)) {
                hits.append('-');
                continue;
            }
            int right = 0;
            for (int[] one : predicted) {
                right += one[row] == sample.label() ? 1 : 0;
            }
            hits.append(right);
            row++;
        }
        return hits.toString();
    }

    private static long bytes(Network network) {
        return network.parameters().stream()
                .map(Parameter::value)
                .mapToLong(value -> value.numel() * value.element_size())
                .sum();
    }

    private void warn(StratifiedFolds folds) {
        if (!folds.together() && images.grouped() && !warned) {
            warned = true;
            listener.onEvent(
                    new TrainingEvent.Note("a class shows a single physical sample, so folds divide its images:"
                            + " accuracies of the search are too high, for all candidates"));
        }
    }
}
