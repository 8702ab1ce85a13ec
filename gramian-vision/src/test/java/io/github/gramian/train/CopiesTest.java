package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classifiers that are fitted to changed copies of the training images as well. */
class CopiesTest {

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // drawn before all tests
    private static SmallRuns small;

    @BeforeAll
    static void draw() throws IOException {
        small = SmallRuns.in(folder);
    }

    private static String trained(String name, String copies) throws IOException {
        Recipe recipe = small.recipe("stage1.epochs=0").with("views.copies", copies);
        Path run = folder.resolve(name);
        Training.of(recipe)
                .with(TrainingOptions.defaults(folder.resolve(name + "-cache")))
                .into(run);
        try (StoredModel model = StoredModel.open(new RunFolder(run).model())) {
            return model.weightsHash();
        }
    }

    private static long caches(String name) throws IOException {
        try (Stream<Path> list = Files.list(folder.resolve(name + "-cache"))) {
            return list.filter(Files::isDirectory).count();
        }
    }

    @Test
    void copies_change_the_classifier_and_equal_recipes_give_equal_models() throws IOException {
        String plain = trained("plain", "");
        String first = trained("first", "corrupt:gaussian_noise,contrast:2-4+corrupt:gaussian_noise,contrast:2-4");
        assertThat(trained("second", "corrupt:gaussian_noise,contrast:2-4+corrupt:gaussian_noise,contrast:2-4"))
                .isEqualTo(first)
                .isNotEqualTo(plain);
        assertThat(caches("plain")).isEqualTo(1);
        assertThat(caches("first")).as("two copies draw different changes").isEqualTo(3);
    }

    @Test
    void unknown_changes_are_refused() {
        Recipe recipe = Recipe.standard();
        assertThatThrownBy(() -> recipe.with("views.copies", "corrupt:frost:1-5"))
                .hasMessageContaining("frost");
        assertThatThrownBy(() -> recipe.with("views.copies", "corrupt:fog,snow:4-2"))
                .hasMessageContaining("4-2");
        assertThatThrownBy(() -> recipe.with("views.copies", "corrupt:fog,snow:1-6"))
                .hasMessageContaining("1..5");
    }
}
