package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ViewFusionTest {

    /** (0.5 + 0.25 + 0.75)/3 = 0.5. */
    @Test
    void views_are_averaged_class_by_class() {
        assertThat(ViewFusion.mean(new float[][] {{0.5f, 0.5f}, {0.25f, 0.75f}, {0.75f, 0.25f}}))
                .containsExactly(0.5f, 0.5f);
        assertThat(ViewFusion.mean(new float[][] {{1, 0, 0}, {0, 0, 1}})).containsExactly(0.5f, 0, 0.5f);
    }

    @Test
    void one_view_comes_back_unchanged_and_as_a_copy() {
        float[] view = {0.1f, 0.2f, 0.7f};
        assertThat(ViewFusion.mean(new float[][] {view})).isNotSameAs(view).containsExactly(view);
    }

    @Test
    void ten_fused_views_are_probabilities_again() {
        float[][] views = Predictions.calibrated(5, 10, 200).stream()
                .map(Prediction::probabilities)
                .toArray(float[][]::new);
        assertThat(new Prediction("a.jpg", 0, ViewFusion.mean(views)).classes()).isEqualTo(200);
    }

    @Test
    void no_views_views_of_other_models_and_nan_are_refused() {
        assertThatThrownBy(() -> ViewFusion.mean(new float[0][]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no views");
        assertThatThrownBy(() -> ViewFusion.mean(new float[][] {{1, 0}, {1}})).hasMessageContaining("view 1 has 1");
        assertThatThrownBy(() -> ViewFusion.mean(new float[][] {{1, 0}, {Float.NaN, 1}}))
                .hasMessageContaining("class 0 the probability NaN");
    }
}
