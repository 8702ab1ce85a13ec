package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
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
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two classes of a few images, a tenth of which validate, as a user's first data set has them. */
class FewImagesTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final RidgeConfig FEW_PENALTIES = RidgeConfig.defaults().withLambdas(List.of(0.01, 0.1, 1.0));
    private static final int CHANNELS = 12;
    private static final int UNSEEN = 80;
    private static final int SEEDS = 20;

    private final Scope scope = Scope.open();
    private final List<String> notes = new ArrayList<>();

    @AfterEach
    void free() {
        scope.close();
    }

    /** Images of two classes in turn, which differ in the mean of a channel. */
    private static MapsInMemory images(int count, long seed) {
        Tensor maps = new Seed(seed).normal(FLOAT, count, CHANNELS, 4);
        int[] labels = IntStream.range(0, count).map(i -> i % 2).toArray();
        for (int i = 1; i < count; i += 2) {
            maps.select(0, i).select(0, 0).add_(scalar(1.5));
        }
        return new MapsInMemory(1, maps, labels);
    }

    private static Network network() {
        BranchConfig branch = new BranchConfig(
                "a", 32, 0, false, new AggregatorConfig.Average(), new DescriptorConfig(0, -1, 0, Fidelity.EXACT));
        return new Network(new NetworkConfig(List.of(branch), 5), List.of(CHANNELS), 2, FLOAT, new Seed(3));
    }

    private ClassifierFit fit(Network network) {
        ClassifierFit.Plan closedForm =
                new ClassifierFit.Plan(RidgeClassifier.Method.DUAL, 40, CHANNELS, Path.of(""), Weights.NONE);
        return new ClassifierFit(
                network,
                FEW_PENALTIES,
                closedForm,
                event -> {
                    if (event instanceof TrainingEvent.Note note) {
                        notes.add(note.text());
                    }
                },
                CancellationToken.never());
    }

    /** The accuracy of a classifier in closed form, by its scores: no probability is involved. */
    private static double accuracyOfScores(Network network, MapsInMemory training, MapsInMemory unseen) {
        RidgeFit fit =
                RidgeClassifier.fit(new NetworkDescriptors(network, training, 32), training.labels(), 2, FEW_PENALTIES);
        Tensor rows = new NetworkDescriptors(network, unseen, 32).rows(0, UNSEEN);
        float[][] scores =
                HostCopy.rows(torch.addmm(fit.bias(), rows, fit.weight().t()));
        return IntStream.range(0, UNSEEN)
                        .filter(i -> Prediction.argmax(scores[i]) == unseen.labels()[i])
                        .count()
                / (double) UNSEEN;
    }

    private static double spread(NetworkPredictions evaluation) {
        double[] first = Arrays.stream(evaluation.probabilities())
                .mapToDouble(row -> row[0])
                .sorted()
                .toArray();
        return first[first.length - 1] - first[0];
    }

    /** The classifier that the images shall replace is all zeros, as a descent that validation images reject leaves it. */
    @ParameterizedTest
    @ValueSource(ints = {5, 6, 10, 20})
    void calibration_never_lowers_the_accuracy_of_the_closed_form(int perClass) {
        int validating = Math.max(2, perClass / 5);
        for (int seed = 1; seed <= SEEDS; seed++) {
            MapsInMemory training = images(2 * perClass - validating, 2L * seed);
            MapsInMemory validation = images(validating, 2L * seed + 1);
            MapsInMemory unseen = images(UNSEEN, 1000 + seed);
            try (Network network = network()) {
                ClassifierFit fit = fit(network);
                fit.apply(1, training, validation, Refit.BEST, true).close();
                NetworkPredictions found = NetworkPredictions.of(network, unseen, 32);
                assertThat(found.accuracy())
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(accuracyOfScores(network, training, unseen));
                assertThat(spread(found)).as("seed %d: probabilities", seed).isGreaterThan(0.05);
            }
        }
    }

    /** Validation images whose labels are exchanged ask for the smallest factor that there is. */
    @ParameterizedTest
    @EnumSource(
            value = Refit.class,
            names = {"NEVER", "ALWAYS"})
    void validation_images_that_contradict_the_classifier_leave_its_ranking_as_it_is(Refit refit) {
        for (int seed = 1; seed <= 5; seed++) {
            MapsInMemory training = images(60, 2L * seed);
            MapsInMemory unseen = images(UNSEEN, 1000 + seed);
            Tensor maps = new Seed(2L * seed + 1).normal(FLOAT, 40, CHANNELS, 4);
            for (int i = 0; i < 40; i += 2) { // class 0 looks like class 1
                maps.select(0, i).select(0, 0).add_(scalar(3));
            }
            MapsInMemory contrary = new MapsInMemory(
                    1, maps, IntStream.range(0, 40).map(i -> i % 2).toArray());
            try (Network network = network()) {
                ClassifierFit fit = fit(network);
                fit.apply(1, training, null, Refit.ALWAYS, false).close();
                int[] before = classes(NetworkPredictions.of(network, unseen, 32));
                ClassifierFit.Fitted fitted = fit.apply(1, training, contrary, refit, true);
                ClassifierFit.Applied applied = fitted.applied();
                assertThat(applied.temperature()).isLessThan(0.2);
                assertThat(classes(NetworkPredictions.of(network, unseen, 32)))
                        .as("seed %d", seed)
                        .isEqualTo(before);
            }
        }
    }

    private static int[] classes(NetworkPredictions evaluation) {
        return Arrays.stream(evaluation.probabilities())
                .mapToInt(Prediction::argmax)
                .toArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 29, 30})
    void too_few_validation_images_choose_no_temperature(int validating) {
        try (Network network = network()) {
            ClassifierFit fit = fit(network);
            fit.apply(1, images(20, 1), null, Refit.ALWAYS, false).close();
            notes.clear();
            ClassifierFit.Fitted fitted = fit.apply(1, images(20, 1), images(validating, 2), Refit.NEVER, true);
            ClassifierFit.Applied applied = fitted.applied();
            assertThat(applied.temperature() == null).isEqualTo(validating < 30);
            assertThat(notes).singleElement().asString().contains(validating + (validating < 30 ? "" : " validation"));
            assertThat(notes.get(0).contains("not calibrated")).isEqualTo(validating < 30);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 28})
    void too_few_images_in_all_retain_the_logit_scale_and_a_note_reports_it(int training) {
        try (Network network = network()) {
            ClassifierFit fit = fit(network);
            ClassifierFit.Fitted fitted = fit.apply(1, images(training, 1), images(2, 2), Refit.BEST, true);
            ClassifierFit.Applied applied = fitted.applied();
            assertThat(applied.temperature()).isNull();
            assertThat(notes).hasSize(training + 2 < 30 ? 1 : 0);
            fit.applyToAll(images(training, 1), images(2, 2), applied, fitted);
            assertThat(notes).hasSize(training + 2 < 30 ? 1 : 0);
        }
    }
}
