package io.github.gramian.train.stage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.RandomMaps;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StageRunnerTest {

    private static final Placement PLACEMENT = Placement.cpu(Precision.DOUBLE);
    private static final int CLASSES = 4;
    private static final List<Integer> CHANNELS = List.of(12);

    @TempDir
    Path folder;

    /** Descriptors of a kernel matrix vary by a twentieth of their length, those of a bilinear one by all of it. */
    @ParameterizedTest
    @ValueSource(strings = {"spd", "{aggregation: {kernel: linear}}", "{transforms: [{outputDim: 4}]}", "average"})
    void one_rate_suits_all_aggregators(String aggregator) throws IOException {
        List<TrainingEvent.Epoch> epochs = train("network.branches.0.aggregator=" + aggregator, "stage1.epochs=6");
        for (TrainingEvent.Epoch epoch : epochs.subList(1, epochs.size())) {
            assertThat(epoch.trainLoss()).isLessThan(2 * Math.log(CLASSES));
        }
        assertThat(epochs.get(epochs.size() - 1).trainLoss()).isLessThan(0.7 * Math.log(CLASSES));
    }

    @Test
    void the_classifiers_rate_is_divided_by_the_number_of_branches() throws IOException {
        Recipe recipe = recipe("stage1.rates.classifier=0.3");
        try (Network network = network(recipe)) {
            StageRunner.StageRates rates = new StageRunner.StageRates(recipe.stage1(), 10, 3);
            assertThat(rates.groups(network.parameters()))
                    .filteredOn(group -> group.parameters().stream()
                            .anyMatch(one -> one.name().equals("classifier.weight")))
                    .singleElement()
                    .satisfies(group -> assertThat(group.rateFactor()).isEqualTo(0.3 / 3));
        }
    }

    @Test
    void what_was_chosen_is_trained_again_with_the_rates_that_validation_images_had_led_to() throws IOException {
        Stage.Epochs chosen = new Stage.Epochs(3, List.of(1.0, 0.1, 0.01));
        List<TrainingEvent.Epoch> epochs =
                train(chosen, "stage1.epochs=6", "stage1.schedule=plateau", "stage1.warmUp=0", "stage1.keep=best");
        assertThat(epochs).extracting(TrainingEvent.Epoch::epoch).containsExactly(0, 1, 2, 3);
        assertThat(epochs).extracting(TrainingEvent.Epoch::rate).containsExactly(1.0, 1.0, 0.1, 0.01);
        assertThat(epochs).allMatch(TrainingEvent.Epoch::all);
        assertThat(new RunFolder(folder).lastOnAll(1)).exists();
        assertThat(new RunFolder(folder).last(1)).doesNotExist();
    }

    @Test
    void a_step_of_more_images_than_an_int_counts_is_one_over_all_of_them() throws IOException {
        List<TrainingEvent.Epoch> large = train("stage1.epochs=3", "stage1.batch=65536", "stage1.accumulate=65536");
        Files.delete(new RunFolder(folder).last(1));
        List<TrainingEvent.Epoch> whole = train("stage1.epochs=3", "stage1.batch=64");
        assertThat(large)
                .extracting(TrainingEvent.Epoch::trainLoss)
                .isEqualTo(whole.stream().map(TrainingEvent.Epoch::trainLoss).toList());
    }

    private List<TrainingEvent.Epoch> train(String... settings) throws IOException {
        return train(null, settings);
    }

    private List<TrainingEvent.Epoch> train(Stage.@Nullable Epochs chosen, String... settings) throws IOException {
        Recipe recipe = recipe(settings);
        BatchSource training = new RandomMaps(64, CLASSES, CHANNELS, 9, PLACEMENT, new Seed(3));
        RunFolder files = new RunFolder(folder);
        List<TrainingEvent.Epoch> epochs = new ArrayList<>();
        TrainingListener listener = event -> {
            if (event instanceof TrainingEvent.Epoch epoch) {
                epochs.add(epoch);
            }
        };
        try (DistributedTraining processes = DistributedTraining.join(DistributedConfig.singleProcess(), "cpu");
                Network network = network(recipe)) {
            new Initialisation(network, training, recipe.initialisation(), new Seed(5)).run();
            StageContext context = new StageContext(listener, EventLog.none(), Duration.ofHours(1), processes);
            Stage stage = new Stage(
                    1,
                    recipe.stage1(),
                    training,
                    null,
                    new Seed(9),
                    recipe.classes().weights(),
                    chosen);
            new StageRunner(stage, network, null, files, context).run();
        }
        return epochs;
    }

    private static Network network(Recipe recipe) {
        return new Network(recipe.network(), CHANNELS, CLASSES, PLACEMENT, new Seed(1));
    }

    private static Recipe recipe(String... settings) {
        return RecipeFile.parse("""
                network: {branches: [{tap: a, convolution: 8}]}
                stage1: {batch: 8}
                """, List.of(settings));
    }
}
