package io.github.gramian.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.image.Crop;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Which images an evaluation uses, and how it looks at them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EvaluationTest {

    private static final String TWIN_CLASS = SmallRuns.CLASSES.get(0);

    private final Map<Path, String> training = new HashMap<>();
    private final Map<Path, String> validation = new HashMap<>();
    private final Map<Path, String> test = new HashMap<>();
    private final Dataset images;
    private final Path model;
    private final Path twin;

    EvaluationTest(@TempDir Path folder) throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        for (String kind : SmallRuns.CLASSES) {
            Path own = drawn.images().resolve(kind);
            for (int i = 0; i < 5; i++) {
                training.put(own.resolve(i + ".png"), kind);
            }
            for (int i = 5; i < 8; i++) {
                validation.put(own.resolve(i + ".png"), kind);
            }
            for (int i = 8; i < 12; i++) {
                test.put(own.resolve(i + ".png"), kind);
            }
        }
        images = dataset(test);
        twin = Files.copy(drawn.images().resolve(TWIN_CLASS).resolve("0.png"), folder.resolve("twin.png"));
        model = Training.of(drawn.recipe("stage1.epochs=0").with("data.images", "''"))
                .with(TrainingOptions.defaults(drawn.cache()))
                .on(images)
                .into(folder.resolve("run"))
                .model();
    }

    private Dataset dataset(Map<Path, String> tested) {
        return Dataset.ofSplits(Map.of(Split.TRAIN, training, Split.VALIDATION, validation, Split.TEST, tested));
    }

    private static Set<String> evaluated(Evaluation.Result result) {
        assertThat(result.scores().images()).isEqualTo(result.predictions().size());
        return result.predictions().stream().map(Prediction::image).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void every_split_has_its_own_images_and_all_splits_together_have_all() throws IOException {
        Set<String> together = new TreeSet<>();
        for (Split split : Split.values()) {
            Evaluation.Result result = Evaluation.of(model).onSplit(split).on(images);
            assertThat(evaluated(result)).hasSize(images.samples(split).size());
            assertThat(result.warnings()).hasSize(split == Split.TEST ? 0 : 1);
            together.addAll(evaluated(result));
        }
        assertThat(evaluated(Evaluation.of(model).onAllImages().on(images)))
                .isEqualTo(together)
                .hasSize(3 * 12);
    }

    @Test
    void without_a_split_the_test_images_are_evaluated() throws IOException {
        assertThat(evaluated(Evaluation.of(model).on(images)))
                .isEqualTo(evaluated(Evaluation.of(model).onSplit(Split.TEST).on(images)));
    }

    @Test
    void five_crops_change_the_protocol_and_the_probabilities() throws IOException {
        Evaluation.Result one = Evaluation.of(model).on(images);
        Evaluation.Result five =
                Evaluation.of(model).withCrop(new Crop.FiveCrop()).on(images);
        assertThat(evaluated(five)).isEqualTo(evaluated(one));
        assertThat(five.protocol().crops()).isEqualTo(one.protocol().crops() + "; evaluated on five");
        assertThat(probabilities(five)).isNotEqualTo(probabilities(one));
    }

    private static List<Double> probabilities(Evaluation.Result result) {
        return result.predictions().stream().map(Prediction::confidence).toList();
    }

    @Test
    void a_copy_of_a_training_image_is_left_out_without_twins() throws IOException {
        Map<Path, String> more = new HashMap<>(test);
        more.put(twin, TWIN_CLASS);
        Dataset withTwin = dataset(more);
        Evaluation.Result all = Evaluation.of(model).on(withTwin);
        assertThat(all.warnings()).singleElement().asString().contains("training has used 1 of these 13 images");
        Evaluation.Result without = Evaluation.of(model).withoutTwins().on(withTwin);
        assertThat(without.warnings()).isEmpty();
        assertThat(evaluated(without)).hasSize(12).noneMatch(name -> name.endsWith("twin.png"));
        assertThat(evaluated(Evaluation.of(model).onNewImages().on(withTwin))).isEqualTo(evaluated(without));
    }

    @Test
    void an_image_of_a_class_that_the_model_does_not_know_is_refused() {
        Dataset other = Dataset.of(Map.of(twin, "dots"), 1);
        assertThatThrownBy(() -> Evaluation.of(model).onAllImages().on(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'dots'")
                .hasMessageContaining("checks, ");
    }
}
