package io.github.gramian.dataset.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TwinsTest {

    @TempDir
    Path root;

    private void file(String path, String content) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), content);
    }

    private Twins twins() {
        Layout layout = Layouts.detect(root);
        Dataset dataset = layout.open(root, layout.released(), 1, new Seed(0));
        return Twins.of(dataset, ContentHash.sums(dataset, 1, ContentHash.Progress.silent()));
    }

    @Test
    void test_images_are_twins_of_training_images_first_and_of_validation_images_otherwise() throws IOException {
        file("train/ant/1.png", "one");
        file("train/bee/2.png", "two");
        file("val/ant/3.png", "three");
        file("val/bee/1.png", "one");
        file("test/ant/copy.png", "one");
        file("test/ant/3.png", "three");
        file("test/bee/new.png", "new");
        file("test/bee/new-again.png", "new");
        Twins twins = twins();
        assertThat(twins.ofTraining()).containsExactly("test/ant/copy.png");
        assertThat(twins.ofValidation()).containsExactly("test/ant/3.png");
        assertThat(twins.count()).isEqualTo(2);
        assertThat(twins.paths()).containsExactlyInAnyOrder("test/ant/copy.png", "test/ant/3.png");
    }

    @Test
    void files_that_cannot_be_read_are_no_twins() throws IOException {
        file("train/ant/1.png", "one");
        file("test/ant/2.png", "two");
        for (String part : new String[] {"train", "test"}) {
            Files.createSymbolicLink(root.resolve(part + "/ant/lost.png"), root.resolve("nowhere.png"));
        }
        assertThat(twins().count()).isZero();
    }
}
