package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Crop;
import io.github.gramian.image.codec.RgbImage;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictorCloseTest {

    private static final List<Crop> FIVE = List.of(new Crop.FiveCrop());
    private static final RgbImage IMAGE = RgbImage.black(12, 10);

    private final EchoInference engine = new EchoInference(8);
    private final Predictor original = Predictor.on(engine);
    private final Predictor five = original.withCrops(FIVE);

    @Test
    void the_original_remains_usable_after_the_one_with_other_crops_was_closed() {
        five.close();
        assertThat(original.predictPixels(IMAGE).probabilities()).hasSize(2);
        assertThat(engine.closed()).isZero();
        original.close();
        assertThat(engine.closed()).isOne();
    }

    @Test
    void the_one_with_other_crops_remains_usable_after_the_original_was_closed() {
        original.close();
        assertThat(five.predictPixels(IMAGE).probabilities()).hasSize(2);
        assertThat(engine.closed()).isZero();
        five.close();
        assertThat(engine.closed()).isOne();
    }

    @Test
    void closing_twice_does_not_close_the_other() {
        five.close();
        five.close();
        assertThat(original.predictPixels(IMAGE).probabilities()).hasSize(2);
        original.close();
        original.close();
        assertThat(engine.closed()).isOne();
    }

    @Test
    void a_closed_predictor_names_the_reason_and_its_crops_cannot_be_changed() {
        original.close();
        assertThatThrownBy(() -> original.predictPixels(IMAGE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the predictor is closed; load the model again");
        assertThatThrownBy(() -> original.withCrops(FIVE)).hasMessageContaining("is closed");
        try (Predictor again = five.withCrops(FIVE)) {
            five.close();
            assertThat(again.predictPixels(IMAGE).probabilities()).hasSize(2);
        }
        assertThat(engine.closed()).isOne();
    }
}
