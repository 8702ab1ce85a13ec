package io.github.gramian.train.stage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StageStateTest {

    private final StageState best = StageState.start(1, 3, 0).withBest(0.40, 1.30, 2);

    @Test
    void enough_images_choose_by_error_though_the_loss_rises() {
        assertThat(best.isBetter(0.34, 1.55, true)).isTrue();
        assertThat(best.isBetter(0.41, 1.20, true)).isFalse();
    }

    @Test
    void of_equal_errors_the_loss_decides() {
        assertThat(best.isBetter(0.40, 1.29, true)).isTrue();
        assertThat(best.isBetter(0.40, 1.30, true)).isFalse();
        assertThat(best.isBetter(0.40, 1.31, true)).isFalse();
    }

    @Test
    void few_images_choose_by_loss() {
        assertThat(best.isBetter(0.45, 1.20, false)).isTrue();
        assertThat(best.isBetter(0.34, 1.55, false)).isFalse();
        assertThat(best.isBetter(0.39, 1.30, false)).isTrue();
    }
}
