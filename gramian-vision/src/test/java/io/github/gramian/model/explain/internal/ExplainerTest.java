package io.github.gramian.model.explain.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.image.Crop;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.SmallRuns;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainerTest {

    @TempDir
    static Path folder;

    private static BatchPredictor predictor = nobody();

    @SuppressWarnings("NullAway") // set before any test runs
    private static BatchPredictor nobody() {
        return null;
    }

    @BeforeAll
    static void train() throws IOException {
        SmallRuns runs = SmallRuns.in(folder);
        Path run = runs.run(runs.recipe("stage1.epochs=0"), "model").directory();
        predictor = BatchPredictor.load(run.resolve("model.gramian"));
    }

    @AfterAll
    static void free() {
        predictor.close();
    }

    private static Explainer explainer(BatchPredictor of) {
        return Explainer.of(of).orElseThrow();
    }

    private static RgbImage noise(int width, int height) {
        byte[] pixels = new byte[3 * width * height];
        new Random(7).nextBytes(pixels);
        return new RgbImage(width, height, pixels);
    }

    @Test
    void the_prediction_is_that_of_the_predictor() {
        PreparedImage image = predictor.prepare(noise(100, 80));
        Explanation explanation = explainer(predictor).explain(image);
        assertThat(explanation.prediction().probabilities())
                .containsExactly(
                        predictor.read(List.of(image)).get(0).prediction().probabilities(), within(1e-5f));
        assertThat(explanation.subject()).isEqualTo(explanation.prediction().predicted());
    }

    @Test
    void the_picture_shows_the_pixels_of_the_view() {
        RgbImage image = noise(100, 80);
        Explanation explanation = explainer(predictor).explain(predictor.prepare(image));
        RgbImage view = predictor
                .description()
                .preprocessing()
                .get(0)
                .viewsOf(image, new Seed(0))
                .get(0);
        assertThat(explanation.picture()).isEqualTo(view);
    }

    @Test
    void the_same_image_gives_the_same_map_on_every_thread() {
        PreparedImage image = predictor.prepare(noise(90, 90));
        Explainer explainer = explainer(predictor);
        float[][] expected = explainer.explain(image, List.of(1)).get(0).contributions();
        List<float[][]> again = IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> explainer.explain(image, List.of(1)).get(0).contributions())
                .toList();
        assertThat(again).allSatisfy(map -> assertThat(map).isDeepEqualTo(expected));
    }

    @Test
    void several_views_share_one_map_of_the_whole_region() {
        try (BatchPredictor five = predictor.withCrops(List.of(new Crop.FiveCrop()))) {
            Explanation explanation = explainer(five).explain(five.prepare(noise(100, 80)));
            assertThat(explanation.region().left()).isZero();
            assertThat(explanation.region().width()).isCloseTo(1, within(1e-9));
            assertThat(explanation.picture().width())
                    .isGreaterThan(explanation.picture().height());
        }
    }
}
