package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The selection on validation images, and the final retraining on all images. */
class FinalTrainingTest {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    private static JsonNode scores(String name) throws IOException {
        return JSON.readTree(new RunFolder(runs.path(name)).scores().toFile());
    }

    /** A manifest of the same images whose last two training images of each class come after all others, in this split. */
    private static String manifest(String name, String split) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(runs.manifest())) {
            if (line.matches(".*/[67]\\.png,.*")) {
                String path = line.substring(0, line.indexOf(','));
                Path last = runs.images().resolve("validation").resolve(path.replace('/', '-'));
                Files.createDirectories(last.getParent());
                Files.copy(runs.images().resolve(path), last, StandardCopyOption.REPLACE_EXISTING);
                String label = path.substring(0, path.indexOf('/'));
                lines.add(runs.images().relativize(last) + "," + label + "," + split);
            } else {
                lines.add(line);
            }
        }
        Path file = runs.images().resolve(name);
        Files.write(file, lines);
        return "data.images=" + file;
    }

    /** Without what the file stores about validation images. */
    private static List<TensorEntry> weights(SafetensorsFile file) {
        return file.entries().stream()
                .filter(entry -> !entry.name().matches("(sets|novelty)/.*"))
                .toList();
    }

    /** The number of calibration scores; 0 if the model has none. */
    private static int calibrationScores(String name) throws IOException {
        try (StoredModel file = StoredModel.open(new RunFolder(runs.path(name)).model())) {
            return file.reference().sets().map(sets -> sets.scores().length).orElse(0);
        }
    }

    private static void assertSameWeights(String name, String other) throws IOException {
        try (Scope scope = Scope.open();
                SafetensorsFile found = SafetensorsFile.open(new RunFolder(runs.path(name)).model());
                SafetensorsFile wanted = SafetensorsFile.open(new RunFolder(runs.path(other)).model())) {
            assertThat(weights(found)).hasSameSizeAs(weights(wanted));
            for (TensorEntry entry : weights(wanted)) {
                assertThat(found.tensor(entry.name()).equal(wanted.tensor(entry.name())))
                        .as(entry.name())
                        .isTrue();
            }
        }
    }

    private static Recipe both(String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "data.validation=0",
                "stage1.keep=last",
                "stage2.epochs=1",
                "stage2.trainFrom=res5b",
                "stage2.rates.layerDecay=0.5",
                "stage2.ema=0.9",
                "tuned=always"));
        settings.addAll(List.of(more));
        return runs.recipe(settings.toArray(String[]::new));
    }

    @Test
    void the_final_retraining_equals_a_training_on_a_dataset_whose_validation_images_are_training_images()
            throws IOException {
        runs.run(both(manifest("held.csv", "val"), "final=all"), "on all");
        runs.run(both(manifest("held.csv", "val")), "on training images");
        runs.run(both(manifest("given.csv", "train"), "final=all"), "without validation");
        // Six validation images are too few to choose a temperature.
        assertSameWeights("on all", "without validation");
        assertThat(runs.weightsHash("on all")).isNotEqualTo(runs.weightsHash("on training images"));
        assertThat(scores("on all").get("final").get("images").asInt()).isEqualTo(3 * SmallRuns.TRAIN);
        assertThat(scores("on all").get("final").get("stage2Epochs").asInt()).isEqualTo(1);
        assertThat(scores("on all").get("validation"))
                .isEqualTo(scores("on training images").get("validation"));
        assertThat(scores("without validation").has("final")).isFalse();
        assertThat(calibrationScores("on all"))
                .as("those of the training before, since the final one has used the validation images")
                .isEqualTo(calibrationScores("on training images"))
                .isEqualTo(6);
        assertThat(calibrationScores("without validation")).isZero();
    }

    @Test
    void the_epoch_that_was_best_is_the_last_one_on_all_images() throws IOException {
        Recipe recipe = runs.recipe("stage1.epochs=4", "final=all");
        List<TrainingEvent.Epoch> epochs = new ArrayList<>();
        runs.run(recipe, "best", TrainingOptions.defaults(runs.cache()).withListener(event -> {
            if (event instanceof TrainingEvent.Epoch epoch) {
                epochs.add(epoch);
            }
        }));
        int best = epochs.stream()
                .filter(epoch -> !epoch.all() && epoch.best())
                .reduce((first, second) -> second)
                .orElseThrow()
                .epoch();
        assertThat(best).isBetween(1, 4);
        assertThat(epochs.stream()
                        .filter(TrainingEvent.Epoch::all)
                        .mapToInt(TrainingEvent.Epoch::epoch)
                        .max())
                .hasValue(best);
        assertThat(epochs).filteredOn(TrainingEvent.Epoch::all).allMatch(epoch -> epoch.validationLoss() == null);
    }

    @Test
    void a_frozen_network_with_a_classifier_in_closed_form_is_not_trained_again() throws IOException {
        runs.run(runs.recipe("stage1.epochs=1", "refit=always", "final=all"), "closed form");
        runs.run(runs.recipe("stage1.epochs=1", "refit=always"), "closed form as before");
        assertThat(runs.weightsHash("closed form")).isEqualTo(runs.weightsHash("closed form as before"));
        assertThat(scores("closed form").has("final")).isFalse();
        assertThat(new RunFolder(runs.path("closed form")).choice()).doesNotExist();
    }

    @Test
    void a_damaged_selection_is_refused_with_its_name() throws IOException {
        Recipe recipe = runs.recipe("stage1.epochs=1", "stage1.keep=last", "final=all");
        assertThatThrownBy(() -> runs.run(recipe, "damaged", runs.stoppingAfter(4)))
                .isInstanceOf(TrainingStopped.class);
        Path choice = new RunFolder(runs.path("damaged")).choice();
        String text = Files.readString(choice);
        Files.writeString(choice, text.replace("\"count\":1", "\"count\":2"));
        assertThatThrownBy(() -> runs.run(recipe, "damaged"))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("choice.json");
        Files.writeString(choice, text);
        runs.run(recipe, "damaged");
        runs.run(recipe, "undamaged");
        assertThat(runs.weightsHash("damaged")).isEqualTo(runs.weightsHash("undamaged"));
    }

    /** A backbone that learns a thousand times too fast forgets everything. */
    @Test
    void a_fine_tuned_model_with_a_lower_validation_accuracy_is_not_selected() throws IOException {
        String[] frozen = {"stage1.epochs=4", "refit=never", "final=all"};
        String[] broken = {
            frozen[0], frozen[1], frozen[2], "stage2.epochs=1", "stage2.trainFrom=res5b", "stage2.rates.backbone=5"
        };
        List<TrainingEvent> events = new ArrayList<>();
        runs.run(runs.recipe(frozen), "frozen");
        runs.run(
                runs.recipe(broken),
                "broken",
                TrainingOptions.defaults(runs.cache()).withListener(events::add));
        TrainingEvent.FineTuning found = events.stream()
                .filter(TrainingEvent.FineTuning.class::isInstance)
                .map(TrainingEvent.FineTuning.class::cast)
                .findFirst()
                .orElseThrow();
        assertThat(found.tuned()).isLessThan(found.frozen());
        assertThat(found.kept()).isFalse();
        assertThat(runs.weightsHash("broken")).isEqualTo(runs.weightsHash("frozen"));
        assertThat(scores("broken").get("accuracy")).isEqualTo(scores("frozen").get("accuracy"));
        assertThat(scores("broken").get("validation"))
                .isEqualTo(scores("frozen").get("validation"));
        assertThat(scores("broken").get("fineTuning").get("sentence").asText())
                .contains("did not help", "6 validation images", "the frozen model is used");
        assertThat(runs.events("broken")).anyMatch(line -> line.startsWith("{\"event\":\"fine-tuning\""));
        runs.run(runs.recipe(broken), "broken");
        assertThat(runs.weightsHash("broken")).isEqualTo(runs.weightsHash("frozen"));
    }

    /** The frozen model starts from random values, which fine-tuning has moved before the two models are compared. */
    @Test
    void without_stage_1_the_frozen_model_is_that_of_a_training_without_fine_tuning() throws IOException {
        String[] frozen = {"stage1.epochs=0", "initialisation.convolution=random", "initialisation.transform=random"};
        String[] broken = {
            frozen[0], frozen[1], frozen[2], "stage2.epochs=1", "stage2.trainFrom=res5b", "stage2.rates.backbone=5"
        };
        runs.run(runs.recipe(frozen), "random start");
        runs.run(runs.recipe(broken), "random start, broken");
        assertThat(scores("random start, broken").get("fineTuning").get("kept").asBoolean())
                .isFalse();
        assertThat(runs.weightsHash("random start, broken")).isEqualTo(runs.weightsHash("random start"));
    }

    @Test
    void a_fine_tuned_model_with_a_higher_validation_accuracy_is_selected() throws IOException {
        // Stage 1 learns nothing; so its classifier is all zeros.
        String[] settings = {
            "stage1.epochs=1",
            "stage1.rates.classifier=0",
            "stage1.rates.bias=0",
            "stage1.rates.convolution=0",
            "stage1.rates.transform=0",
            "stage2.epochs=6",
            "stage2.trainFrom=res5b",
            "stage2.rates.classifier=0.1",
            "stage2.rates.backbone=0.0001"
        };
        runs.run(runs.recipe(settings), "better");
        JsonNode found = scores("better").get("fineTuning");
        assertThat(found.get("tuned").asDouble())
                .isGreaterThan(found.get("frozen").asDouble());
        assertThat(found.get("kept").asBoolean()).isTrue();
        assertThat(found.get("sentence").asText()).startsWith("fine-tuning helped");
        String[] always = java.util.Arrays.copyOf(settings, settings.length + 1);
        always[settings.length] = "tuned=always";
        runs.run(runs.recipe(always), "always");
        assertThat(runs.weightsHash("better")).isEqualTo(runs.weightsHash("always"));
        assertThat(scores("always").has("fineTuning")).isFalse();
    }
}
