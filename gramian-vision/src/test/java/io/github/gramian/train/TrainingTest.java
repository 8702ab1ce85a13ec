package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.BatchOptions;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.TrainingSuspects;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingTest {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    private static List<JsonNode> events(String name, String kind) throws IOException {
        List<JsonNode> found = new ArrayList<>();
        for (String line : Files.readAllLines(new RunFolder(runs.path(name)).events())) {
            JsonNode event = JSON.readTree(line);
            if (event.get("event").asText().equals(kind)) {
                found.add(event);
            }
        }
        return found;
    }

    @Test
    void only_ridge_learns_and_leaves_a_complete_folder() throws IOException {
        Run outcome = runs.run(runs.recipe("stage1.epochs=0"), "ridge");
        assertThat(outcome.scores().accuracy()).isGreaterThan(0.7);
        assertThat(outcome.validationAccuracy()).isNotNull();
        assertThat(events("ridge", "ridge")).singleElement().satisfies(ridge -> {
            assertThat(ridge.get("kept").asBoolean()).isTrue();
            assertThat(ridge.get("validationAccuracy").asDouble()).isEqualTo(outcome.validationAccuracy());
            assertThat(ridge.get("table")).isNotEmpty();
        });
        RunFolder run = new RunFolder(outcome.directory());
        JsonNode scores = JSON.readTree(run.scores().toFile());
        assertThat(scores.get("accuracy").asDouble()).isEqualTo(outcome.scores().accuracy());
        assertThat(scores.get("images").asInt()).isEqualTo(3 * SmallRuns.TEST);
        assertThat(scores.get("split").asText()).isEqualTo("test");
        assertThat(scores.get("validation").get("accuracy").asDouble()).isEqualTo(outcome.validationAccuracy());
        assertThat(scores.get("descriptorLength").asInt()).isEqualTo(4 * 5 / 2);
        assertThat(scores.get("passport").isObject()).isTrue();
        assertThat(Files.readAllLines(run.predictions()))
                .hasSize(3 * SmallRuns.TEST)
                .allSatisfy(line ->
                        assertThat(JSON.readTree(line).get("probabilities")).hasSize(3));
        JsonNode reportData = JSON.readTree(run.reportData().toFile());
        assertThat(reportData.get("matrices")).isNotEmpty();
        assertThat(reportData.get("map").get("points")).hasSize(3 * SmallRuns.TEST);
        assertThat(RecipeFile.read(run.recipe())).isEqualTo(runs.recipe("stage1.epochs=0"));
    }

    @Test
    void a_wrong_label_of_a_training_image_is_among_the_suspects_of_the_run() throws IOException {
        Path manifest = runs.manifest().resolveSibling("wrong.csv");
        Files.writeString(
                manifest,
                Files.readString(runs.manifest()).replace("rows/0.png,rows,train", "rows/0.png,columns,train"));
        Run outcome = runs.run(runs.recipe("stage1.epochs=0", "data.images='" + manifest + "'"), "wrong");
        TrainingSuspects found = TrainingSuspects.of(
                JSON.readTree(new RunFolder(outcome.directory()).suspects().toFile()));
        assertThat(found.images()).isEqualTo(3 * SmallRuns.TRAIN);
        assertThat(found.suspects())
                .isSortedAccordingTo(Comparator.comparingDouble(TrainingSuspects.Suspect::score)
                        .reversed())
                .hasSizeLessThan(found.images() / 2)
                .anySatisfy(suspect -> {
                    assertThat(suspect.file()).isEqualTo("rows/0.png");
                    assertThat(suspect.given()).isEqualTo("columns");
                    assertThat(suspect.suggested()).isNotEqualTo("columns");
                    assertThat(suspect.score()).isBetween(0.5, 1.0);
                });
    }

    @Test
    void warnings_about_the_images_reach_the_listener_before_the_features() throws IOException {
        List<String> seen = new ArrayList<>();
        runs.run(
                runs.recipe("stage1.epochs=0"),
                "warned",
                TrainingOptions.defaults(folder.resolve("fresh cache"))
                        .withListener(event -> seen.add(
                                event instanceof TrainingEvent.Note note
                                        ? note.text()
                                        : event.getClass().getSimpleName())));
        assertThat(seen).contains("Features");
        assertThat(seen.subList(0, seen.indexOf("Features")))
                .anySatisfy(text -> assertThat(text)
                        .startsWith("warning: 3 classes have fewer than 10 images for training and validation"));
    }

    @Test
    void gradient_descent_lowers_the_loss_and_the_better_classifier_is_used() throws IOException {
        runs.run(runs.recipe("stage1.epochs=6", "refit=best"), "descent");
        List<JsonNode> epochs = events("descent", "epoch");
        assertThat(epochs).hasSize(7);
        assertThat(epochs.get(0).get("trainLoss").isNull()).isTrue();
        assertThat(epochs.get(6).get("trainLoss").asDouble())
                .isLessThan(0.8 * epochs.get(1).get("trainLoss").asDouble());
        assertThat(epochs).allSatisfy(epoch -> {
            assertThat(epoch.get("health").get("orthonormality").asDouble()).isLessThan(1e-5);
            assertThat(epoch.get("health").get("gradientNorms")).isNotEmpty();
        });
        JsonNode ridge = events("descent", "ridge").get(0);
        double before = epochs.stream()
                .filter(epoch -> epoch.get("best").asBoolean())
                .reduce((first, second) -> second)
                .orElseThrow()
                .get("validationAccuracy")
                .asDouble();
        JsonNode scores =
                JSON.readTree(new RunFolder(runs.path("descent")).scores().toFile());
        double chance = NetworkPredictions.standardError(
                before, scores.get("passport").get("counts").get("val").asInt());
        assertThat(ridge.get("kept").asBoolean())
                .as("the one in closed form, unless it is worse by more than chance")
                .isEqualTo(ridge.get("validationAccuracy").asDouble() >= before - chance);
    }

    @Test
    void the_validation_accuracy_is_that_of_images_the_classifier_was_not_fitted_to() throws IOException {
        Run outcome = runs.run(runs.recipe("stage1.epochs=1", "refit=always", "data.validation=0.5"), "held");
        assertThat(outcome.validationAccuracy())
                .isEqualTo(
                        events("held", "ridge").get(0).get("validationAccuracy").asDouble());
    }

    @Test
    void the_second_stage_trains_the_backbone_and_the_saved_model_is_the_trained_one() throws IOException {
        // The same views each epoch, so that losses compare; no validation, so that the last weights are used.
        Recipe recipe = runs.recipe(
                "stage1.epochs=1",
                "stage2.epochs=4",
                "stage2.trainFrom=res5a",
                "views.training=centre",
                "views.augment=",
                "data.validation=0");
        Run outcome = runs.run(recipe, "tuned");
        List<JsonNode> epochs = events("tuned", "epoch").stream()
                .filter(epoch -> epoch.get("stage").asInt() == 2)
                .toList();
        assertThat(epochs).hasSize(5);
        assertThat(epochs.get(4).get("trainLoss").asDouble())
                .isLessThan(epochs.get(1).get("trainLoss").asDouble());
        Path first = runs.images().resolve("rows").resolve(SmallRuns.TRAIN + ".png");
        try (Predictor predictor = Predictor.load(outcome.model());
                SafetensorsFile model = SafetensorsFile.open(outcome.model());
                SafetensorsFile before = SafetensorsFile.open(runs.weights());
                Scope scope = Scope.open()) {
            float[] now = predictor.predict(first).probabilities();
            JsonNode stored =
                    JSON.readTree(Files.readAllLines(new RunFolder(outcome.directory()).predictions()).stream()
                            .filter(line -> line.contains("rows/" + SmallRuns.TRAIN + ".png"))
                            .findFirst()
                            .orElseThrow());
            for (int i = 0; i < now.length; i++) {
                assertThat(stored.get("probabilities").get(i).asDouble()).isCloseTo(now[i], within(1e-5));
            }
            String changed = "layer4.0.conv1.weight";
            assertThat(model.tensor("backbone/" + changed).equal(before.tensor(changed)))
                    .isFalse();
            String frozen = "layer3.0.conv1.weight";
            assertThat(model.tensor("backbone/" + frozen).equal(before.tensor(frozen)))
                    .isTrue();
        }
    }

    @Test
    void one_seed_gives_the_same_bits_and_another_seed_others() throws IOException {
        runs.run(runs.recipe("stage1.accumulate=2"), "once");
        runs.run(runs.recipe("stage1.accumulate=2"), "twice");
        runs.run(runs.recipe("stage1.accumulate=2", "seed=8"), "other");
        assertThat(runs.weightsHash("twice")).isEqualTo(runs.weightsHash("once"));
        assertThat(runs.events("twice")).isEqualTo(runs.events("once"));
        assertThat(runs.weightsHash("other")).isNotEqualTo(runs.weightsHash("once"));
        assertThat(runs.bestEpoch("once", 1)).isPositive();
    }

    @Test
    void one_seed_gives_the_same_bits_through_the_backbone() throws IOException {
        Recipe recipe = runs.recipe(
                "stage1.epochs=1",
                "stage2.epochs=1",
                "stage2.accumulate=2",
                "stage2.trainFrom=res5b",
                "data.validation=0");
        runs.run(recipe, "tuned once");
        runs.run(recipe, "tuned twice");
        assertThat(runs.weightsHash("tuned twice")).isEqualTo(runs.weightsHash("tuned once"));
        assertThat(runs.bestEpoch("tuned once", 2)).isPositive();
    }

    /** 24 images in steps of 10: the last step has four, which must weigh as much as they do without accumulation. */
    @Test
    void two_batches_of_five_make_the_step_of_one_batch_of_ten() throws IOException {
        // Without centring, whose running mean counts batches; without validation, so that the last weights are used.
        String[] alike = {"network.branches.0.descriptor.centringMomentum=0", "data.validation=0"};
        runs.run(runs.recipe(alike[0], alike[1], "stage1.batch=10"), "ten");
        runs.run(runs.recipe(alike[0], alike[1], "stage1.batch=5", "stage1.accumulate=2"), "two fives");
        assertThat(distance("ten", "two fives")).isLessThan(1e-5);
        runs.run(runs.recipe(alike[0], alike[1], "stage1.batch=5"), "five");
        assertThat(distance("ten", "five")).isGreaterThan(1e-3);
    }

    /** The largest difference between weights of the two networks. */
    private static double distance(String first, String second) throws IOException {
        double largest = 0;
        try (Scope scope = Scope.open();
                SafetensorsFile a = SafetensorsFile.open(new RunFolder(runs.path(first)).model());
                SafetensorsFile b = SafetensorsFile.open(new RunFolder(runs.path(second)).model())) {
            for (var entry : a.entries()) {
                if (entry.name().startsWith("network/")) {
                    float[] x = HostCopy.floats(a.tensor(entry.name()));
                    float[] y = HostCopy.floats(b.tensor(entry.name()));
                    for (int i = 0; i < x.length; i++) {
                        largest = Math.max(largest, Math.abs(x[i] - y[i]));
                    }
                }
            }
        }
        return largest;
    }

    @Test
    void test_images_never_influence_the_weights() throws IOException {
        runs.run(runs.recipe("refit=best"), "honest");
        List<String> lines = Files.readAllLines(runs.manifest());
        Path other = runs.images().resolve("other.csv");
        List<String> changed = new ArrayList<>();
        for (String line : lines) {
            if (!line.endsWith("test")) {
                changed.add(line);
            } else if (!line.startsWith("columns")) { // labels exchanged, and every test image of one class gone
                changed.add(
                        line.startsWith("rows")
                                ? line.replace(",rows,", ",checks,")
                                : line.replace(",checks,", ",rows,"));
            }
        }
        Files.write(other, changed);
        Run cheated = runs.run(runs.recipe("refit=best", "data.images='" + other + "'"), "cheated");
        assertThat(cheated.scores().images()).isEqualTo(2 * SmallRuns.TEST);
        assertThat(runs.weightsHash("cheated")).isEqualTo(runs.weightsHash("honest"));
        assertThat(runs.bestEpoch("honest", 1)).isPositive();
        assertThat(runs.events("cheated")).isEqualTo(runs.events("honest"));
    }

    @Test
    void without_validation_images_the_last_weights_are_used() throws IOException {
        Run outcome = runs.run(runs.recipe("data.validation=0", "refit=best"), "unvalidated");
        assertThat(outcome.validationAccuracy()).isNull();
        assertThat(events("unvalidated", "epoch"))
                .allSatisfy(epoch -> assertThat(epoch.get("best").asBoolean()).isTrue());
        assertThat(JSON.readTree(new RunFolder(outcome.directory()).scores().toFile())
                        .get("validation")
                        .isNull())
                .isTrue();
    }

    @Test
    void a_plateau_lowers_the_rate_and_early_stopping_ends_the_stage() throws IOException {
        runs.run(
                runs.recipe(
                        "stage1.epochs=30",
                        "stage1.schedule=plateau",
                        "stage1.warmUp=0",
                        "stage1.patience=0",
                        "stage1.stopAfter=3",
                        "stage1.rates.classifier=1.0E-6",
                        "stage1.rates.bias=0",
                        "stage1.rates.convolution=0",
                        "stage1.rates.transform=0"),
                "plateau");
        List<JsonNode> epochs = events("plateau", "epoch");
        assertThat(epochs.size()).isLessThan(20);
        assertThat(epochs.get(epochs.size() - 1).get("rate").asDouble()).isLessThanOrEqualTo(0.1);
    }

    @Tag("long")
    @Test
    void two_branches_of_two_sizes_and_five_crops_train_and_predict() throws IOException {
        Recipe recipe = RecipeFile.parse("""
                network:
                  branches:
                    - {tap: res4b, size: 48, convolution: 6}
                    - {tap: res5b, size: 64, convolution: 0, rectify: false, aggregator: average}
                views: {margin: 1.25, test: five}
                data: {images: '%s', validation: 0.25}
                backbone: {weights: '%s', precision: float}
                stage1: {epochs: 1, batch: 6}
                refit: always
                """.formatted(runs.manifest(), runs.weights()), List.of());
        Run outcome = runs.run(recipe, "two");
        List<float[]> answers = new ArrayList<>();
        try (StoredModel file = StoredModel.open(outcome.model());
                Predictor predictor = Predictor.load(outcome.model())) {
            assertThat(file.description().preprocessing()).hasSize(2);
            Stream<Path> files = Stream.of("rows/9.png", "checks/9.png").map(runs.images()::resolve);
            predictor
                    .predictAll(files, BatchOptions.defaults().withBatch(2))
                    .forEach(answer -> answers.add(answer.probabilities()));
        }
        assertThat(answers)
                .hasSize(2)
                .allSatisfy(row -> assertThat(row[0] + row[1] + row[2]).isCloseTo(1, within(1e-5f)));
    }
}
