package io.github.gramian.model.explain.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.image.Crop;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The colour that normalisation subtracts is that of the baseline, so a grey image has no contributions. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void the_map_sums_to_the_gain_of_the_score_over_a_grey_image(int subject) {
        PreparedImage image = predictor.prepare(noise(100, 80));
        Explainer explainer = explainer(predictor);
        float[][] map = explainer.explain(image, List.of(subject)).get(0).contributions();
        double sum = 0;
        for (float[] row : map) {
            for (float value : row) {
                sum += value;
            }
        }
        double gain = score(explainer.features(image).flat(), subject) - score(grey(), subject);
        assertThat(Math.abs(gain)).isGreaterThan(1e-3);
        assertThat(sum).isCloseTo(gain, within(1e-4 * Math.abs(gain)));
    }

    private static double score(List<Tensor> features, int subject) {
        try (Scope scope = Scope.open()) {
            Network network = predictor.differentiable().orElseThrow().network();
            return network.classify(network.describe(features))
                    .select(1, subject)
                    .item_double();
        }
    }

    private static List<Tensor> grey() {
        Inference.Differentiable model = predictor.differentiable().orElseThrow();
        List<Tensor> raw = FeatureMaps.raw(
                model.backbone(),
                NetworkFeatures.of(predictor.description().network()),
                List.of(torch.zeros(1, 3, 48, 48)));
        return raw.stream()
                .map(one -> FeatureMaps.flat(one, model.network().placement()))
                .toList();
    }

    @Test
    void a_model_with_one_class_has_no_map_and_the_reason_names_the_remedy() {
        NetworkConfig network = predictor.description().network();
        assertThat(Explainer.obstacle(network, 2)).isEmpty();
        assertThat(Explainer.obstacle(network, 1))
                .hasValueSatisfying(
                        reason -> assertThat(reason).contains("only one class", "gramian predict --unknown"));
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
