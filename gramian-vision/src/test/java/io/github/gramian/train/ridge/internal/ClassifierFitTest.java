package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
import io.github.gramian.run.TrainingEvent;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassifierFitTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CHANNELS = 6;
    private static final int TRAINING = 31;
    private static final ClassifierFit.Plan FEW = closedForm(RidgeClassifier.Method.DUAL);

    private final Scope scope = Scope.open();
    private final MapsInMemory training = images(TRAINING, 1);

    @AfterEach
    void free() {
        scope.close();
    }

    private static ClassifierFit.Plan closedForm(RidgeClassifier.Method method) {
        return new ClassifierFit.Plan(
                method, TRAINING, CHANNELS, Path.of(System.getProperty("java.io.tmpdir")), Weights.NONE);
    }

    /** Two classes that differ in the mean of a channel, with much noise. */
    private static MapsInMemory images(int count, long seed) {
        Tensor maps = new Seed(seed).normal(DOUBLE, count, CHANNELS, 4);
        int[] labels = IntStream.range(0, count).map(i -> i % 2).toArray();
        for (int i = 1; i < count; i += 2) {
            maps.select(0, i).select(0, 0).add_(scalar(0.6));
        }
        return new MapsInMemory(1, maps, labels);
    }

    private static Network network() {
        BranchConfig branch = new BranchConfig(
                "a", 32, 0, false, new AggregatorConfig.Average(), new DescriptorConfig(0, -1, 0, Fidelity.EXACT));
        return new Network(new NetworkConfig(List.of(branch), 5), List.of(CHANNELS), 2, DOUBLE, new Seed(3));
    }

    @ParameterizedTest
    @CsvSource({"true, 500, true", "true, 499, false", "false, 500, false"})
    void enough_validation_images_select_the_penalty_of_trained_descriptors(
            boolean trained, int validating, boolean byThem) {
        List<TrainingEvent.Ridge> events = new ArrayList<>();
        MapsInMemory validation = images(validating, 2);
        try (Network network = network()) {
            ClassifierFit fit = new ClassifierFit(
                    network,
                    RidgeConfig.defaults(),
                    FEW,
                    event -> events.add((TrainingEvent.Ridge) event),
                    CancellationToken.never());
            fit.apply(1, training, validation, Refit.ALWAYS, trained).close();
        }
        TrainingEvent.Ridge ridge = events.get(0);
        double heldOut = ridge.heldOutAccuracy();
        if (byThem) {
            assertThat(heldOut).isCloseTo(Objects.requireNonNull(ridge.validationAccuracy()), within(1e-9));
        }
        double rightOnes = heldOut * (byThem ? validating : TRAINING);
        assertThat(rightOnes).isCloseTo(Math.rint(rightOnes), within(1e-9));
    }

    /** The given classifier uses the channel that separates the classes; thirty noisy images show it less well. */
    @ParameterizedTest
    @CsvSource({"2000, false", "30, true"})
    void a_trained_classifier_must_be_better_by_more_than_chance_to_be_used(int validating, boolean refitted) {
        MapsInMemory validation = images(validating, 2);
        try (Network network = network()) {
            ClassifierFit fit = new ClassifierFit(
                    network, RidgeConfig.defaults(), FEW, TrainingListener.silent(), CancellationToken.never());
            plant(network, 10);
            double planted = NetworkPredictions.of(network, validation, 32).accuracy();
            ClassifierFit.Fitted fitted = fit.apply(1, training, validation, Refit.BEST, true);
            ClassifierFit.Applied applied = fitted.applied();
            double found = NetworkPredictions.of(network, validation, 32).accuracy();
            assertThat(applied.validationAccuracy()).isEqualTo(found);
            assertThat(applied.relativeLambda() != null).isEqualTo(refitted);
            assertThat(found < planted).as("%s after %s", found, planted).isEqualTo(refitted);
        }
    }

    /** The planted classifier is right about the channel, but far too shy, or far too sure. */
    @ParameterizedTest
    @CsvSource({"NEVER, 0.1", "NEVER, 100", "BEST, 0.1"})
    void validation_images_calibrate_a_trained_classifier_that_is_retained(Refit refit, double steepness) {
        List<String> notes = new ArrayList<>();
        MapsInMemory validation = images(2000, 2);
        try (Network network = network()) {
            ClassifierFit fit = new ClassifierFit(
                    network,
                    RidgeConfig.defaults(),
                    FEW,
                    event -> {
                        if (event instanceof TrainingEvent.Note note) {
                            notes.add(note.text());
                        }
                    },
                    CancellationToken.never());
            plant(network, steepness);
            NetworkPredictions before = NetworkPredictions.of(network, validation, 32);
            ClassifierFit.Fitted fitted = fit.apply(1, training, validation, refit, true);
            ClassifierFit.Applied applied = fitted.applied();
            NetworkPredictions after = NetworkPredictions.of(network, validation, 32);
            assertThat(applied.fitted()).isFalse();
            assertThat(after.accuracy()).isEqualTo(before.accuracy()).isEqualTo(applied.validationAccuracy());
            assertThat(confidence(before)).isNotCloseTo(before.accuracy(), within(0.05));
            assertThat(confidence(after)).isCloseTo(after.accuracy(), within(0.02));
            assertThat(notes).singleElement().asString().contains("2,000 validation images");

            plant(network, steepness);
            fit.calibrate(applied);
            assertThat(NetworkPredictions.of(network, validation, 32).loss())
                    .as("again")
                    .isEqualTo(after.loss());
            assertThat(fit.apply(1, training, validation, Refit.NEVER, true)
                            .applied()
                            .temperature())
                    .as("of what is calibrated")
                    .isCloseTo(1, within(1e-4));
        }
    }

    /** A classifier that looks at the channel that separates the classes, half-way between their means. */
    private static void plant(Network network, double steepness) {
        Tensor weight = network.classifier().weight().value().zero_();
        weight.select(0, 1).select(0, 0).fill_(scalar(steepness));
        network.classifier().bias().value().zero_().select(0, 0).fill_(scalar(0.2 * steepness));
    }

    /** The mean of the largest probabilities. */
    private static double confidence(NetworkPredictions evaluation) {
        double sum = 0;
        for (float[] row : evaluation.probabilities()) {
            sum += Math.max(row[0], row[1]);
        }
        return sum / evaluation.probabilities().length;
    }

    @Test
    void cached_descriptors_give_the_weights_of_recomputed_ones() {
        RidgeConfig keeps = RidgeConfig.defaults();
        float[] cached = weightsFittedToAll(keeps);
        float[] made = weightsFittedToAll(new RidgeConfig(keeps.lambdas(), keeps.blockRows(), 1));
        assertThat(made).containsExactly(cached, within(1e-6f));
    }

    private float[] weightsFittedToAll(RidgeConfig config) {
        MapsInMemory validation = images(500, 2);
        try (Network network = network()) {
            ClassifierFit fit =
                    new ClassifierFit(network, config, FEW, TrainingListener.silent(), CancellationToken.never());
            ClassifierFit.Fitted fitted = fit.apply(1, training, validation, Refit.ALWAYS, true);
            ClassifierFit.Applied applied = fitted.applied();
            fit.applyToAll(training, validation, applied, fitted);
            return HostCopy.floats(network.classifier().parameters().get(0).value());
        }
    }

    /** Maps that depend on their labels, as trained descriptors do on training images: all are well separated. */
    private static MapsInMemory knowing(int count) {
        MapsInMemory images = images(count, 1);
        Tensor maps = new Seed(5).normal(DOUBLE, count, CHANNELS, 4).mul_(scalar(0.1));
        for (int i = 0; i < count; i++) {
            maps.select(0, i).select(0, 0).add_(scalar(images.labels()[i] == 1 ? 1 : -1));
        }
        return new MapsInMemory(1, maps, images.labels());
    }

    @ParameterizedTest
    @CsvSource({"500", "60"})
    void the_fit_to_all_images_keeps_the_temperature_of_the_validation_images(int validating) {
        List<TrainingEvent.Ridge> events = new ArrayList<>();
        MapsInMemory known = knowing(200);
        MapsInMemory validation = images(validating, 2);
        try (Network network = network()) {
            ClassifierFit fit = new ClassifierFit(
                    network,
                    RidgeConfig.defaults(),
                    FEW,
                    event -> events.add((TrainingEvent.Ridge) event),
                    CancellationToken.never());
            ClassifierFit.Fitted fitted = fit.apply(1, known, validation, Refit.ALWAYS, true);
            ClassifierFit.Applied applied = fitted.applied();
            fit.applyToAll(known, validation, applied, fitted);
            RidgeFit all = RidgeClassifier.fit(
                    new NetworkDescriptors(network, known, 32).then(new NetworkDescriptors(network, validation, 32)),
                    IntStream.concat(IntStream.of(known.labels()), IntStream.of(validation.labels()))
                            .toArray(),
                    2,
                    RidgeConfig.defaults().withLambdas(List.of(Objects.requireNonNull(applied.relativeLambda()))));
            double chosen = events.get(0).temperature();
            assertThat(all.temperature())
                    .as("images that training has used get a higher one")
                    .isGreaterThan(1.2 * chosen);
            assertThat(HostCopy.floats(network.classifier().parameters().get(0).value()))
                    .containsExactly(HostCopy.floats(all.weight().mul(scalar(chosen / 5))), within(1e-3f));
        }
    }

    @Test
    void the_fit_to_all_images_has_a_temperature_of_its_own_where_descriptors_were_not_trained() {
        try (Network network = network()) {
            ClassifierFit fit = new ClassifierFit(
                    network, RidgeConfig.defaults(), FEW, TrainingListener.silent(), CancellationToken.never());
            assertThat(fit.apply(0, training, images(60, 2), Refit.ALWAYS, false)
                            .applied()
                            .temperature())
                    .isNull();
        }
    }

    /** A budget of one byte sends all descriptors to a file; they are computed once for both fits. */
    @ParameterizedTest
    @CsvSource({"true, 500", "false, 500", "true, 60", "false, 60"})
    void conjugate_gradients_fit_as_the_dual_does(boolean trained, int validating) {
        MapsInMemory known = images(400, 1);
        MapsInMemory validation = images(validating, 2);
        RidgeConfig one = new RidgeConfig(List.of(0.1), 64, 1);
        List<String> notes = new ArrayList<>();
        float[][] weights = new float[2][];
        for (RidgeClassifier.Method method :
                List.of(RidgeClassifier.Method.DUAL, RidgeClassifier.Method.CONJUGATE_GRADIENTS)) {
            try (Network network = network()) {
                ClassifierFit fit = new ClassifierFit(
                        network,
                        one,
                        closedForm(method),
                        event -> {
                            if (event instanceof TrainingEvent.Note note) {
                                notes.add(note.text());
                            }
                        },
                        CancellationToken.never());
                ClassifierFit.Fitted fitted = fit.apply(1, known, validation, Refit.ALWAYS, trained);
                ClassifierFit.Applied applied = fitted.applied();
                assertThat(applied.temperature() != null).isEqualTo(trained || method != RidgeClassifier.Method.DUAL);
                fit.applyToAll(known, validation, applied, fitted);
                float[] found = HostCopy.floats(network.classifier().weight().value());
                double length = Math.sqrt(IntStream.range(0, found.length)
                        .mapToDouble(i -> found[i] * found[i])
                        .sum());
                float[] direction = new float[found.length];
                for (int i = 0; i < found.length; i++) {
                    direction[i] = (float) (found[i] / length);
                }
                weights[method == RidgeClassifier.Method.DUAL ? 0 : 1] = direction;
            }
        }
        assertThat(weights[1]).as("but for the temperature").containsExactly(weights[0], within(1e-5f));
        assertThat(notes).anyMatch(line -> line.contains("400 descriptors go to a file"));
    }
}
