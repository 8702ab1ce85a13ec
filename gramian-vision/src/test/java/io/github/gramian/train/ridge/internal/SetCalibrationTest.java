package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.MapsInMemory;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scores of sets come from images that the classifier was not fitted to, with the probabilities of predictions. */
class SetCalibrationTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CHANNELS = 5;
    private static final int CLASSES = 3;
    private static final int TRAINING = 60;
    private static final RidgeConfig ONE = RidgeConfig.defaults().withLambdas(List.of(0.1));

    private final Scope scope = Scope.open();
    private final Network network = network();

    @AfterEach
    void free() {
        network.close();
        scope.close();
    }

    private static Network network() {
        BranchConfig branch = new BranchConfig(
                "a", 32, 0, false, new AggregatorConfig.Average(), new DescriptorConfig(0, -1, 0, Fidelity.EXACT));
        return new Network(new NetworkConfig(List.of(branch), 5), List.of(CHANNELS), CLASSES, DOUBLE, new Seed(3));
    }

    private static MapsInMemory images(int count, long seed, int left) {
        Tensor maps = new Seed(seed).normal(DOUBLE, count, CHANNELS, 4);
        int[] labels = IntStream.range(0, count).map(i -> i % CLASSES).toArray();
        for (int i = 0; i < count; i++) {
            maps.select(0, i).select(0, labels[i]).add_(scalar(0.6));
        }
        if (left < 0) {
            return new MapsInMemory(1, maps, labels);
        }
        int[] stay = IntStream.range(0, count).filter(i -> i != left).toArray();
        Tensor some = maps.index_select(0, HostCopy.labels(stay, DOUBLE));
        return new MapsInMemory(1, some, IntStream.of(stay).map(i -> labels[i]).toArray());
    }

    private ClassifierFit fit(RidgeClassifier.Method method) {
        return new ClassifierFit(
                network,
                ONE,
                new ClassifierFit.Plan(
                        method, TRAINING, CHANNELS, Path.of(System.getProperty("java.io.tmpdir")), Weights.NONE),
                TrainingListener.silent(),
                CancellationToken.never());
    }

    private float[] truths(BatchSource images) {
        return NetworkPredictions.of(network, images, 32).trueProbabilities(images.labels());
    }

    private static float[] scores(float[] truths) {
        return PredictionSets.of(PredictionSets.Source.VALIDATION, truths).scores();
    }

    /** Refits without each image, with the temperature of all, and lets the network predict it. */
    @ParameterizedTest
    @EnumSource(names = {"DUAL", "PRIMAL"})
    void descriptors_that_were_not_trained_are_calibrated_by_images_that_were_left_out(RidgeClassifier.Method method) {
        ClassifierFit.Applied applied = fit(method)
                .apply(0, images(TRAINING, 1, -1), null, Refit.ALWAYS, false)
                .applied();
        PredictionSets found = Objects.requireNonNull(applied.sets());
        assertThat(found.source()).isEqualTo(PredictionSets.Source.LEAVE_ONE_OUT);
        double factor = RidgeClassifier.fit(
                        new NetworkDescriptors(network, images(TRAINING, 1, -1), 32),
                        images(TRAINING, 1, -1).labels(),
                        CLASSES,
                        ONE)
                .temperature();
        float[] truths = new float[TRAINING];
        for (int i = 0; i < TRAINING; i++) {
            MapsInMemory others = images(TRAINING, 1, i);
            RidgeFit without = RidgeClassifier.fit(
                    new NetworkDescriptors(network, others, 32), others.labels(), CLASSES, unit(others));
            network.classifier().weight().assign(without.weight().mul(scalar(factor / 5)));
            network.classifier().bias().assign(without.bias().mul(scalar(factor / 5)));
            truths[i] = truths(images(TRAINING, 1, -1))[i];
        }
        assertThat(found.scores()).containsExactly(scores(truths), within(2e-3f));
    }

    /** The penalty is relative to the spread of the rows, which changes with each row that is left out. */
    private static RidgeConfig unit(MapsInMemory others) {
        Tensor all = rows(images(TRAINING, 1, -1));
        Tensor some = rows(others);
        double factor = spread(all) * TRAINING / (spread(some) * (TRAINING - 1)) * (TRAINING - 1) / TRAINING;
        return ONE.withLambdas(List.of(0.1 * factor));
    }

    private static Tensor rows(MapsInMemory images) {
        try (Network same = network()) {
            return new NetworkDescriptors(same, images, 32)
                    .rows(0, images.count())
                    .clone();
        }
    }

    private static double spread(Tensor rows) {
        return rows.sub(rows.mean(0)).square().sum().item_double() / rows.size(0);
    }

    @Test
    void trained_descriptors_are_calibrated_by_validation_images_as_the_network_predicts_them() {
        MapsInMemory validation = images(45, 2, -1);
        ClassifierFit.Applied applied = fit(RidgeClassifier.Method.DUAL)
                .apply(1, images(TRAINING, 1, -1), validation, Refit.ALWAYS, true)
                .applied();
        PredictionSets found = Objects.requireNonNull(applied.sets());
        assertThat(found.source()).isEqualTo(PredictionSets.Source.VALIDATION);
        assertThat(found.scores()).containsExactly(scores(truths(validation)), within(1e-6f));
    }

    @Test
    void a_trained_classifier_is_calibrated_by_its_final_probabilities() {
        MapsInMemory validation = images(45, 2, -1);
        network.classifier().weight().assign(new Seed(9).normal(DOUBLE, CLASSES, CHANNELS));
        ClassifierFit.Applied applied = fit(RidgeClassifier.Method.DUAL)
                .apply(1, images(TRAINING, 1, -1), validation, Refit.NEVER, true)
                .applied();
        PredictionSets found = Objects.requireNonNull(applied.sets());
        assertThat(found.scores()).containsExactly(scores(truths(validation)), within(1e-6f));
    }

    @Test
    void trained_descriptors_without_validation_images_have_no_scores() {
        assertThat(fit(RidgeClassifier.Method.DUAL)
                        .apply(1, images(TRAINING, 1, -1), null, Refit.ALWAYS, true)
                        .applied()
                        .sets())
                .isNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"DUAL", "PRIMAL", "CONJUGATE_GRADIENTS"})
    void the_fit_to_all_images_leaves_out_each_image_that_calibrates(RidgeClassifier.Method method) {
        MapsInMemory training = images(TRAINING, 1, -1);
        MapsInMemory validation = images(45, 2, -1);
        for (boolean trained : List.of(true, false)) {
            ClassifierFit fit = fit(method);
            try (ClassifierFit.Fitted fitted = fit.apply(1, training, validation, Refit.ALWAYS, trained)) {
                ClassifierFit.Applied all = fit.applyToAll(training, validation, fitted.applied(), fitted);
                PredictionSets found = Objects.requireNonNull(all.sets());
                boolean leavesOut = method != RidgeClassifier.Method.CONJUGATE_GRADIENTS;
                assertThat(found.scores()).hasSize(trained || !leavesOut ? 45 : TRAINING + 45);
                float[] fittedTo = scores(truths(validation));
                if (trained && leavesOut) {
                    assertThat(mean(found.scores()))
                            .as("images that the classifier was fitted to would look too good")
                            .isGreaterThan(mean(fittedTo));
                }
            }
        }
    }

    private static double mean(float[] values) {
        return IntStream.range(0, values.length)
                .mapToDouble(i -> values[i])
                .average()
                .orElseThrow();
    }
}
