package io.github.gramian.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LearningRateTest {

    @Test
    void a_constant_stays() {
        assertThat(new LearningRate.Constant(0.1).at(1_000_000)).isEqualTo(0.1);
    }

    @Test
    void a_staircase_falls_after_every_so_many_steps() {
        LearningRate rate = new LearningRate.Staircase(1, 10, 0.1);
        assertThat(rate.at(9)).isEqualTo(1);
        assertThat(rate.at(10)).isCloseTo(0.1, within(1e-15));
        assertThat(rate.at(25)).isCloseTo(0.01, within(1e-15));
    }

    @Test
    void a_cosine_goes_from_the_first_to_the_last_rate() {
        LearningRate rate = new LearningRate.Cosine(1, 0.2, 100);
        assertThat(rate.at(0)).isEqualTo(1);
        assertThat(rate.at(50)).isCloseTo(0.6, within(1e-12));
        assertThat(rate.at(100)).isCloseTo(0.2, within(1e-12));
        assertThat(rate.at(1000)).isCloseTo(0.2, within(1e-12));
    }

    @Test
    void a_warm_up_rises_to_what_follows() {
        LearningRate rate = new LearningRate.WarmUp(4, new LearningRate.Staircase(1, 10, 0.5));
        assertThat(rate.at(0)).isCloseTo(0.2, within(1e-12));
        assertThat(rate.at(3)).isCloseTo(0.8, within(1e-12));
        assertThat(rate.at(4)).isEqualTo(1);
        assertThat(rate.at(14)).isEqualTo(0.5);
    }

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

    @Test
    void impossible_schedules_are_refused() {
        assertThatThrownBy(() -> new LearningRate.Constant(0)).hasMessageContaining("positive");
        assertThatThrownBy(() -> new LearningRate.Staircase(1, 0, 0.5)).hasMessageContaining("at least 1 step");
        assertThatThrownBy(() -> new LearningRate.Staircase(1, 1, 2)).hasMessageContaining("factor");
        assertThatThrownBy(() -> new LearningRate.Cosine(1, 2, 3)).hasMessageContaining("last rate");
        assertThatThrownBy(() -> Plateau.from(1, 1, 1)).hasMessageContaining("plateau");
    }
}
