package io.github.gramian.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PowerLawTest {

    @Test
    void an_exact_law_is_found_without_error() {
        PowerLaw law = PowerLaw.fit(new double[] {1, 2, 4, 8}, new double[] {3, 12, 48, 192});
        assertThat(law.exponent()).isCloseTo(2, within(1e-12));
        assertThat(law.standardError()).isCloseTo(0, within(1e-7));
        assertThat(law.at(16)).isCloseTo(768, within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_standard_error_estimates_the_error_of_the_exponent(long seed) {
        Random random = new Random(seed);
        int trials = 400;
        int within = 0;
        for (int trial = 0; trial < trials; trial++) {
            double[] x = new double[20];
            double[] y = new double[20];
            for (int i = 0; i < 20; i++) {
                x[i] = Math.pow(1.5, i);
                y[i] = Math.pow(x[i], 1.3) * Math.exp(0.1 * random.nextGaussian());
            }
            PowerLaw law = PowerLaw.fit(x, y);
            within += Math.abs(law.exponent() - 1.3) < 2 * law.standardError() ? 1 : 0;
        }
        // About 94 % for Student's t with 18 degrees of freedom.
        assertThat(within / (double) trials).isBetween(0.90, 0.98);
    }

    @Test
    void two_points_give_no_standard_error_and_nonsense_is_refused() {
        assertThat(PowerLaw.fit(new double[] {1, 2}, new double[] {1, 2}).standardError())
                .isNaN();
        assertThatThrownBy(() -> PowerLaw.fit(new double[] {1}, new double[] {1}))
                .hasMessageContaining("2 points");
        assertThatThrownBy(() -> PowerLaw.fit(new double[] {1, 2}, new double[] {1, 0}))
                .hasMessageContaining("positive");
        assertThatThrownBy(() -> PowerLaw.fit(new double[] {2, 2}, new double[] {1, 1}))
                .hasMessageContaining("different");
    }
}
