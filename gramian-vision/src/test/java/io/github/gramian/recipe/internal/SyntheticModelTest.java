package io.github.gramian.recipe.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.Predictor;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyntheticModelTest {

    @TempDir
    private Path folder;

    @Test
    void it_predicts_as_any_other_model() throws IOException {
        Path file = folder.resolve("model.gramian");
        new SyntheticModel(Architecture.RESNET18_TINY, List.of("one", "other"), new Seed(1)).write(file);
        try (Predictor predictor = Predictor.load(file)) {
            assertThat(predictor.classes()).containsExactly("one", "other");
            Prediction answer = predictor.predictPixels(new RgbImage(40, 30, new byte[3 * 40 * 30]));
            assertThat(answer.probabilities()).hasSize(2).containsOnly(0.5f); // a classifier of zeros is undecided
        }
    }
}
