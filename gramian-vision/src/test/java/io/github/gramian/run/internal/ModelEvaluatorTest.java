package io.github.gramian.run.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.Ranking;
import io.github.gramian.image.Crop;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.recipe.DataConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.ModelEvaluator.Part;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A saved model on labelled images, and the results in its folder. */
class ModelEvaluatorTest {

    @TempDir
    static Path folder;

    @TempDir
    private Path own;

    private static RunFolder run = new RunFolder(Path.of(""));
    private static Path photos = Path.of("");

    @BeforeAll
    static void train_a_model() throws IOException {
        photos = folder.resolve("photos");
        for (String name : List.of("bark", "moss")) {
            for (int i = 0; i < 8; i++) {
                image(photos.resolve(name + "/" + i + ".png"), name.hashCode() + i);
            }
        }
        Path weights = folder.resolve("weights.safetensors");
        WeightsFile.writeRandom(
                weights, new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), new Seed(1));
        Recipe recipe =
                RecipeFile.parse("""
                    backbone: {precision: float}
                    network: {branches: [{tap: res5b, size: 64, convolution: 8}]}
                    stage1: {epochs: 0}
                    """, List.of("data.images='" + photos + "'", "backbone.weights='" + weights + "'"));
        run = new RunFolder(folder.resolve("run"));
        Training.of(recipe)
                .with(TrainingOptions.defaults(folder.resolve("features")))
                .into(run.path());
    }

    private static void image(Path file, long seed) throws IOException {
        Files.createDirectories(file.getParent());
        Random random = new Random(seed);
        BufferedImage image = new BufferedImage(50, 40, BufferedImage.TYPE_INT_RGB);
        for (int p = 0; p < 2000; p++) {
            image.setRGB(p % 50, p / 50, random.nextInt());
        }
        ImageIO.write(image, "png", file.toFile());
    }

    private static Dataset dataset(Path images) {
        return new DataConfig(images.toString(), null, "standard", 1, 0.1, null).open(new Seed(1));
    }

    private static ModelEvaluator.Result evaluate(Dataset dataset, Part part, @Nullable Crop crop) throws IOException {
        try (BatchPredictor predictor = BatchPredictor.load(run.model())) {
            ModelEvaluator evaluator = new ModelEvaluator(predictor, new ModelEvaluator.Settings(part, crop, 4, false));
            int[] reported = new int[1];
            ModelEvaluator.Result result = evaluator.run(dataset, done -> reported[0] = done);
            assertThat(reported[0]).isEqualTo(evaluator.count(dataset));
            return result;
        }
    }

    @Test
    void the_scores_of_a_training_are_reproduced_under_the_same_protocol() throws IOException {
        ModelEvaluator.Result result = evaluate(dataset(photos), Part.TEST, null);
        assertThat(result.warnings()).isEmpty();
        assertThat(result.rejected()).isEmpty();
        RunFolder out = new RunFolder(own.resolve("again"));
        result.evaluation().write(out, Map.of("seconds", 1));
        Ranking.RunSummary trained = ScoresFile.summary(run, "trained");
        Ranking.RunSummary again = ScoresFile.summary(out, "again");
        assertThat(again.accuracy()).isEqualTo(trained.accuracy());
        assertThat(again.protocol()).isEqualTo(trained.protocol());
        assertThat(again.recognised()).isEqualTo(trained.recognised()).hasSize(4);
        Ranking ranking = Ranking.of(List.of(trained, again));
        assertThat(ranking.entries().get(1).againstBest()).isNotNull();
    }

    @Test
    void scores_on_other_images_or_views_are_scores_under_another_protocol() throws IOException {
        EvaluationProtocol test =
                evaluate(dataset(photos), Part.TEST, null).evaluation().protocol();
        for (Part part : List.of(Part.TRAIN, Part.VAL, Part.ALL)) {
            ModelEvaluator.Result result = evaluate(dataset(photos), part, null);
            assertThat(result.evaluation().protocol().differences(test))
                    .singleElement()
                    .hasToString("split: " + test.split() + ", scored on " + part.key() + " against " + test.split());
            assertThat(result.warnings()).hasSize(1);
        }
        ModelEvaluator.Result five = evaluate(dataset(photos), Part.TEST, new Crop.FiveCrop());
        assertThat(five.evaluation().protocol().crops()).isEqualTo(test.crops() + "; evaluated on five");
    }

    /** Split 10 and seed 10 start with the digits of split 1 and seed 1. */
    @ParameterizedTest
    @CsvSource({"2, 1", "10, 1", "1, 10", "1, 2"})
    void images_that_training_has_used_are_noticed_in_every_other_split(int split, long seed) throws IOException {
        Dataset own = dataset(photos);
        Set<String> used = Stream.of(Split.TRAIN, Split.VALIDATION)
                .flatMap(one -> own.samples(one).stream())
                .map(Sample::path)
                .collect(Collectors.toSet());
        assertThat(used).hasSize(12);
        Dataset other = new DataConfig(photos.toString(), null, "standard", split, 0.1, null).open(new Seed(seed));
        for (Part part : List.of(Part.TEST, Part.VAL)) {
            List<Sample> evaluated = part.samples(other);
            long known =
                    evaluated.stream().filter(one -> used.contains(one.path())).count();
            assertThat(evaluate(other, part, null).warnings())
                    .as(part.key())
                    .isEqualTo(
                            known == 0
                                    ? List.of()
                                    : List.of("the model's training has used " + known + " of these " + evaluated.size()
                                            + " images, for training or validation, so the scores are not those of new"
                                            + " images; evaluate on the test images of the model's own split, or leave these"
                                            + " images out with --on new"));
        }
    }

    @Test
    void an_image_that_training_has_used_is_known_under_any_name() throws IOException {
        Sample used = dataset(photos).samples(Split.TRAIN).get(0);
        String name = used.path().substring(0, used.path().indexOf('/'));
        Path copy = own.resolve("photos/" + name + "/another.png");
        Files.createDirectories(copy.getParent());
        Files.copy(photos.resolve(used.path()), copy);
        image(own.resolve("photos/" + name + "/new.png"), 77);
        assertThat(evaluate(dataset(own.resolve("photos")), Part.ALL, null).warnings())
                .singleElement()
                .asString()
                .contains("has used 1 of these 2 images");
    }

    @Test
    void all_new_images_are_evaluated_and_those_of_the_training_left_out() throws IOException {
        Path other = own.resolve("photos");
        for (int i = 0; i < 9; i++) {
            image(other.resolve("moss/" + i + ".png"), 100 + i);
        }
        Sample used = dataset(photos).samples(Split.TRAIN).get(0);
        Files.createDirectories(other.resolve("bark"));
        Files.copy(photos.resolve(used.path()), other.resolve("bark/used.png"));
        assertThat(Part.ofOther(dataset(other))).isEqualTo(Part.NEW);
        ModelEvaluator.Result result = evaluate(dataset(other), Part.NEW, null);
        assertThat(result.leftOut()).containsExactly("bark/used.png");
        assertThat(result.warnings()).isEmpty();
        assertThat(result.evaluation().scores().images()).isEqualTo(9);
        assertThat(result.evaluation().protocol().counts()).isEqualTo(Map.of("new", 9));
        Dataset otherSplit = new DataConfig(other.toString(), null, "standard", 2, 0, null).open(new Seed(7));
        assertThat(evaluate(otherSplit, Part.NEW, null)
                        .evaluation()
                        .protocol()
                        .differences(result.evaluation().protocol()))
                .isEmpty();
    }

    @Test
    void other_images_with_their_own_test_images_are_evaluated_on_these() throws IOException {
        Path tree = own.resolve("photos");
        image(tree.resolve("train/moss/1.png"), 5);
        image(tree.resolve("test/moss/2.png"), 6);
        assertThat(Part.ofOther(dataset(tree))).isEqualTo(Part.TEST);
    }

    @Test
    void test_images_with_the_bytes_of_a_training_image_are_left_out_on_request() throws IOException {
        Path tree = own.resolve("photos");
        for (String part : List.of("train", "test")) {
            image(tree.resolve(part + "/bark/own.png"), part.hashCode());
            image(tree.resolve(part + "/moss/own.png"), 1 + part.hashCode());
        }
        Files.copy(tree.resolve("train/moss/own.png"), tree.resolve("test/moss/twin.png"));
        Sample used = dataset(photos).samples(Split.TRAIN).get(0);
        Files.copy(photos.resolve(used.path()), tree.resolve("test/bark/known.png"));
        ModelEvaluator.Result all = evaluate(dataset(tree), Part.TEST, null);
        assertThat(all.leftOut()).isEmpty();
        assertThat(all.evaluation().scores().images()).isEqualTo(4);
        ModelEvaluator.Result left = evaluateWithoutTwins(dataset(tree));
        assertThat(left.leftOut()).containsExactlyInAnyOrder("test/moss/twin.png", "test/bark/known.png");
        assertThat(left.evaluation().scores().images()).isEqualTo(2);
        assertThat(left.warnings()).isEmpty();
        assertThat(left.evaluation().protocol().split()).endsWith(", without twins");
        assertThat(left.evaluation().protocol().counts()).containsEntry("test", 2);
        assertThat(left.evaluation().protocol().comparableWith(all.evaluation().protocol()))
                .isFalse();
    }

    @Test
    void without_twins_needs_test_images_that_training_has_not_used() throws IOException {
        assertThatThrownBy(() -> new ModelEvaluator.Settings(Part.TRAIN, null, 4, true))
                .hasMessageContainingAll("--without-twins", "--on is train");
        Path tree = own.resolve("photos");
        image(tree.resolve("train/moss/own.png"), 5);
        Files.createDirectories(tree.resolve("test/moss"));
        Files.copy(tree.resolve("train/moss/own.png"), tree.resolve("test/moss/twin.png"));
        assertThatThrownBy(() -> evaluateWithoutTwins(dataset(tree)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("training has used all 1 image");
    }

    private static ModelEvaluator.Result evaluateWithoutTwins(Dataset dataset) throws IOException {
        try (BatchPredictor predictor = BatchPredictor.load(run.model())) {
            int[] reported = new int[1];
            ModelEvaluator evaluator =
                    new ModelEvaluator(predictor, new ModelEvaluator.Settings(Part.TEST, null, 4, true));
            ModelEvaluator.Result result = evaluator.run(dataset, done -> reported[0] = done);
            assertThat(reported[0]).isEqualTo(evaluator.count(dataset));
            return result;
        }
    }

    @Test
    void classes_are_matched_by_name_and_unknown_ones_are_refused() throws IOException {
        image(own.resolve("photos/moss/1.png"), 1);
        ModelEvaluator.Result moss = evaluate(dataset(own.resolve("photos")), Part.ALL, null);
        // moss is the model's second class and the only one of these images
        assertThat(moss.evaluation().predictions())
                .singleElement()
                .satisfies(one -> assertThat(one.truth()).isEqualTo(1));
        assertThat(moss.warnings()).isEmpty();
        image(own.resolve("photos/sand/1.png"), 2);
        assertThatThrownBy(() -> evaluate(dataset(own.resolve("photos")), Part.ALL, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("class 'sand'")
                .hasMessageContaining("the model has bark, moss;");
    }

    @Test
    void broken_files_are_left_out_and_nothing_but_broken_files_is_an_error() throws IOException {
        Path images = own.resolve("photos");
        Files.createDirectories(images.resolve("moss"));
        Files.writeString(images.resolve("moss/0.png"), "dear reader");
        assertThatThrownBy(() -> evaluate(dataset(images), Part.ALL, null))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("none of 1 image can be read; the first, moss/0.png");
        image(images.resolve("moss/1.png"), 1);
        ModelEvaluator.Result result = evaluate(dataset(images), Part.ALL, null);
        assertThat(result.rejected()).containsOnlyKeys("moss/0.png");
        assertThat(result.evaluation().scores().images()).isEqualTo(1);
    }

    @Test
    void a_part_without_images_is_refused_with_advice() throws IOException {
        image(own.resolve("photos/moss/1.png"), 1);
        assertThatThrownBy(() -> evaluate(dataset(own.resolve("photos")), Part.TEST, null))
                .hasMessageContaining("has no test images; choose others with --on");
    }

    @Test
    void a_class_folder_without_images_is_refused() throws IOException {
        image(own.resolve("photos/moss/1.png"), 1);
        Files.createDirectories(own.resolve("photos/bark/deeper"));
        assertThatThrownBy(() -> dataset(own.resolve("photos")))
                .isInstanceOf(DatasetException.class)
                .hasMessage("class directory 'bark' contains no images; add some or remove the directory");
    }

    @Test
    void scores_that_are_missing_or_broken_are_named() throws IOException {
        RunFolder broken = new RunFolder(own);
        assertThatThrownBy(() -> ScoresFile.summary(broken, "r"))
                .hasMessageContaining("r is not a run: it has neither recipe.yaml nor scores.json");
        Files.writeString(broken.recipe(), "");
        assertThatThrownBy(() -> ScoresFile.summary(broken, "r")).hasMessageContaining("r has no scores.json");
        for (String text : List.of("no json", "{}", "{\"accuracy\": 1}", "{\"accuracy\": 1, \"passport\": {}}")) {
            Files.writeString(broken.scores(), text);
            assertThatThrownBy(() -> ScoresFile.summary(broken, "r"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the scores of r cannot be used")
                    .hasMessageContaining("gramian evaluate --out");
        }
        Files.copy(run.scores(), broken.scores(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(ScoresFile.summary(broken, "r").recognised()).isEmpty();
        Files.writeString(broken.predictions(), "{\"id\": \"x\"}\n");
        assertThatThrownBy(() -> ScoresFile.summary(broken, "r"))
                .hasMessageContaining("predictions.jsonl is damaged")
                .hasMessageContaining("the scores of r cannot be used");
    }

    @Test
    void a_flipped_bit_in_scores_or_predictions_never_enters_a_comparison() throws IOException {
        RunFolder copy = new RunFolder(own);
        SplittableRandom random = new SplittableRandom(8);
        for (int flip = 0; flip < 200; flip++) {
            Files.copy(run.scores(), copy.scores(), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(run.predictions(), copy.predictions(), StandardCopyOption.REPLACE_EXISTING);
            assertThat(ScoresFile.summary(copy, "r").accuracy())
                    .isEqualTo(ScoresFile.summary(run, "r").accuracy());
            Path file = flip % 2 == 0 ? copy.scores() : copy.predictions();
            byte[] bytes = Files.readAllBytes(file);
            int at = random.nextInt(bytes.length);
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
            assertThatThrownBy(() -> ScoresFile.summary(copy, "r"))
                    .as("byte " + at + " of " + file)
                    .hasMessageContaining(file.getFileName().toString())
                    .hasMessageContaining("gramian evaluate --out");
        }
    }

    @Test
    void a_dataset_that_turns_out_to_be_useless_leaves_no_run_directory() throws IOException {
        Path images = own.resolve("photos");
        for (int i = 0; i < 4; i++) {
            image(images.resolve("moss/" + i + ".png"), i);
            Files.createDirectories(images.resolve("bark"));
            Files.writeString(images.resolve("bark/" + i + ".png"), "dear reader " + i);
        }
        Recipe recipe = RecipeFile.read(run.recipe(), List.of("data.images='" + images + "'"));
        Path out = own.resolve("run");
        TrainingOptions options = TrainingOptions.defaults(folder.resolve("features"));
        assertThatThrownBy(() -> Training.of(recipe).with(options).into(out))
                .hasMessageContaining("class 'bark' has no image left to train on");
        assertThat(out).doesNotExist();
    }
}
