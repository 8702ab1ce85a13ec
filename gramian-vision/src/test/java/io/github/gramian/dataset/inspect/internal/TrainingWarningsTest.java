package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingWarningsTest {

    @TempDir
    Path root;

    /** Images that differ, numbered from one. */
    private void images(String name, int count, long seed) {
        for (int i = 1; i <= count; i++) {
            SmallImages.noise(root.resolve(name).resolve(i + ".png"), seed + i);
        }
    }

    private List<String> warnings() {
        Layout layout = Layouts.detect(root);
        Dataset dataset = layout.open(root, layout.released(), 1, new Seed(0));
        return TrainingWarnings.of(dataset, ContentHash.sums(dataset, 1, ContentHash.Progress.silent()));
    }

    @Test
    void enough_different_images_need_no_warning() {
        images("train/ant", 10, 100);
        images("train/bee", 30, 200);
        images("test/ant", 2, 300);
        images("test/bee", 2, 400);
        assertThat(warnings()).isEmpty();
    }

    @Test
    void equal_files_in_two_classes_are_reported_with_an_example() {
        images("train/ant", 12, 100);
        images("train/bee", 12, 100);
        images("test/ant", 2, 300);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("12 images are in more than one class, such as train/ant/1.png and train/bee/1.png");
    }

    @Test
    void test_images_that_are_training_images_are_reported() {
        images("train/ant", 12, 100);
        images("train/bee", 12, 200);
        images("test/ant", 1, 100);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("1 test image is also a training or validation image, such as test/ant/1.png and");
    }

    @Test
    void a_single_image_per_class_recognises_few_unknown_images() {
        images("train/ant", 1, 100);
        images("train/bee", 2, 200);
        images("test/ant", 1, 300);
        images("test/bee", 1, 400);
        assertThat(warnings())
                .satisfiesExactly(
                        few -> assertThat(few).startsWith("2 classes have fewer"),
                        single -> assertThat(single)
                                .startsWith("1 class has a single image")
                                .contains("--unknown recognises few unknown images"));
    }

    @Test
    void two_images_per_class_are_few() {
        images("train/ant", 2, 100);
        images("train/bee", 12, 200);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .first()
                .asString()
                .startsWith("1 class has fewer than 10 images for training and validation; 'ant' has 2.");
    }

    @Test
    void one_large_class_is_an_imbalance() {
        images("train/ant", 60, 100);
        images("train/bee", 12, 200);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith(
                        "the classes are unbalanced: 'ant' has 60 images for training and validation, 'bee' has 12.")
                .contains("mean class accuracy");
    }
}
