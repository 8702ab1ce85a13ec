package io.github.gramian.optim.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PlateauTest {

    @Test
    void a_plateau_divides_the_rate_when_the_error_stops_falling() {
        Plateau plateau = Plateau.from(0.1, 0.1, 2);
        plateau = plateau.observe(1.0).observe(0.9);
        assertThat(plateau.rate()).isEqualTo(0.1);
        plateau = plateau.observe(0.9).observe(0.95);
        assertThat(plateau.rate()).isEqualTo(0.1);
        plateau = plateau.observe(0.9);
        assertThat(plateau.rate()).isCloseTo(0.01, within(1e-15));
        assertThat(plateau.observe(0.5).best()).isEqualTo(0.5);
        assertThat(plateau.observe(Double.NaN).best()).isEqualTo(0.9);
    }

    /** A tenth of a tenth … is 0 after 324 plateaus: some 1,300 epochs in which nothing gets better. */
    @Test
    void the_rate_of_a_long_training_never_becomes_zero() {
        Plateau plateau = Plateau.from(1, 0.1, 0).observe(1);
        for (int epoch = 0; epoch < 1000; epoch++) {
            plateau = plateau.observe(1);
        }
        assertThat(plateau.rate()).isPositive();
    }

    @Test
    void an_impossible_schedule_is_refused() {
        assertThatThrownBy(() -> Plateau.from(1, 1, 1)).hasMessageContaining("plateau");
    }
}
