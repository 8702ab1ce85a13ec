package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files at one and several scales: what is decoded, and what the network receives. */
class SeveralScalesTest {

    private static final LoaderSettings SETTINGS = LoaderSettings.defaults(4);

    @TempDir
    Path folder;

    private Path photo = Path.of("");

    /** A JPEG that a scale of 16 pixels reduces by 8, one of 32 by 4 and one of 64 by 2. */
    @BeforeEach
    void draw() throws IOException {
        photo = Files.write(folder.resolve("photo.jpg"), Fixtures.file(Fixtures.picture(360, 280, 1), "jpg"));
    }

    private static BatchPredictor predictor(int... sizes) {
        return BatchPredictor.on(new EchoInference(sizes));
    }

    private static float[] descriptor(BatchPredictor predictor, Path file) {
        List<Reading> readings = new ArrayList<>();
        predictor.describe(List.of(file), SETTINGS, readings::add);
        return readings.get(0).descriptor();
    }

    @Test
    void each_scale_receives_the_pixels_that_it_receives_alone() {
        try (BatchPredictor small = predictor(32);
                BatchPredictor large = predictor(64);
                BatchPredictor both = predictor(32, 64)) {
            float[] one = descriptor(small, photo);
            float[] other = descriptor(large, photo);
            float[] together = descriptor(both, photo);
            assertThat(together).hasSize(one.length + other.length);
            assertThat(Arrays.copyOf(together, one.length)).isEqualTo(one);
            assertThat(Arrays.copyOfRange(together, one.length, together.length))
                    .isEqualTo(other);
        }
    }

    @ParameterizedTest
    @CsvSource({"360, 280, jpg, 3", "90, 70, jpg, 2", "60, 40, jpg, 1", "360, 280, png, 1"})
    void a_file_is_decoded_once_for_each_distinct_reduction(int width, int height, String format, int decodings) {
        byte[] file = Fixtures.file(Fixtures.picture(width, height, 1), format);
        AtomicInteger decoded = new AtomicInteger();
        ImageSource counting = new ImageSource() {
            @Override
            public int count() {
                return 1;
            }

            @Override
            public Decoded load(int index, Reduction reduction) {
                decoded.incrementAndGet();
                return new ImageDecoder(ImageLimits.DEFAULT).decode(file, reduction);
            }
        };
        try (BatchPredictor three = predictor(16, 32, 64)) {
            List<Prediction> predictions = new ArrayList<>();
            three.predict(counting, SETTINGS, predictions::add);
            assertThat(predictions).hasSize(1);
            assertThat(decoded).hasValue(decodings);
        }
    }

    @Test
    void a_file_and_its_bytes_give_equal_predictions_at_all_scales() throws IOException {
        try (BatchPredictor both = predictor(32, 64)) {
            float[] expected = both.predict(photo).probabilities();
            assertThat(both.predict(Files.readAllBytes(photo)).probabilities()).containsExactly(expected);
            List<Prediction> together = new ArrayList<>();
            both.predict(List.of(photo), SETTINGS, together::add);
            assertThat(together.get(0).probabilities()).containsExactly(expected);
        }
    }

    @Test
    void pixels_give_the_prediction_of_the_file_if_they_are_decoded_in_the_same_size() throws IOException {
        try (BatchPredictor small = predictor(32)) {
            float[] expected = small.predict(photo).probabilities();
            Reduction reduction = small.description().preprocessing().get(0)::reduction;
            assertThat(small.predictPixels(decoded(reduction)).probabilities()).containsExactly(expected);
            assertThat(small.predictPixels(decoded(Reduction.NONE)).probabilities())
                    .as("the caveat in the documentation of predictPixels")
                    .isNotEqualTo(expected);
        }
    }

    private RgbImage decoded(Reduction reduction) {
        return ((Decoded.Picture) new ImageDecoder(ImageLimits.DEFAULT).decode(photo, reduction)).image();
    }

    @Test
    void bytes_that_are_not_an_image_are_an_exception_with_the_reason() {
        byte[] heic = "\0\0\0\u0014ftypheic\0\0\0\0mif1".getBytes(StandardCharsets.ISO_8859_1);
        try (BatchPredictor small = predictor(32)) {
            assertThatThrownBy(() -> small.predict(new byte[] {1, 2, 3}))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith("the image: the content is not a JPEG");
            assertThatThrownBy(() -> small.predict(heic)).hasMessageContaining("need a converter");
        }
    }
}
