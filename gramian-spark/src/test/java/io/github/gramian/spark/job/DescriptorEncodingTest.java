package io.github.gramian.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.certainty.internal.Half;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DescriptorEncodingTest {

    /** Of magnitudes from 1e-9 to 1e3, both signs, zeros among them. */
    private static float[] values(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            double magnitude = Math.pow(10, random.nextDouble(-9, 3));
            values[i] = (float) (random.nextInt(10) == 0 ? 0 : random.nextBoolean() ? magnitude : -magnitude);
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource
    void a_decoded_number_lies_within_the_bound_of_its_encoding(DescriptorEncoding encoding) {
        for (long seed = 1; seed <= 20; seed++) {
            float[] values = values(seed, 1000);
            DescriptorEncoding.Encoded encoded = encoding.encode(values);
            assertThat(encoded.bytes()).hasSize(1000 * encoding.bytes());
            float[] decoded = encoding.decode(encoded.bytes(), encoded.scale());
            for (int i = 0; i < values.length; i++) {
                assertThat(Math.abs((double) decoded[i] - values[i]))
                        .as("%s as %s", values[i], decoded[i])
                        .isLessThanOrEqualTo(encoding.errorBound(values[i], encoded.scale()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void zeros_remain_zeros(DescriptorEncoding encoding) {
        DescriptorEncoding.Encoded encoded = encoding.encode(new float[5]);
        assertThat(encoding.decode(encoded.bytes(), encoded.scale()))
                .containsOnly(0f)
                .hasSize(5);
        assertThat(encoding.encode(new float[0]).bytes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void an_encoding_is_found_by_its_key(DescriptorEncoding encoding) {
        assertThat(DescriptorEncoding.named(encoding.key())).isEqualTo(encoding);
    }

    @Test
    void every_half_is_its_own_nearest_half() {
        for (int half = 0; half <= 0xFFFF; half++) {
            if ((half >> 10 & 0x1F) != 0x1F) { // neither infinite nor no number
                assertThat(Half.bits(Half.value((short) half))).isEqualTo((short) half);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void between_two_halves_the_nearer_is_taken_and_the_even_one_of_equals(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 20_000; trial++) {
            int low = random.nextInt(0x7BFF);
            double a = Half.value((short) low);
            double b = Half.value((short) (low + 1));
            float x = (float) (a + (b - a) * random.nextDouble());
            short expected = (short) (x - a < b - x || (x - a == b - x && low % 2 == 0) ? low : low + 1);
            assertThat(Half.bits(x)).isEqualTo(expected);
            float middle = (float) ((a + b) / 2);
            assertThat(Half.bits(middle)).isEqualTo((short) (low % 2 == 0 ? low : low + 1));
        }
    }

    @Test
    void values_that_do_not_fit_are_reported() {
        assertThatThrownBy(() -> DescriptorEncoding.FP16.encode(new float[] {1, -70_000}))
                .hasMessageContaining("65504");
        assertThatThrownBy(() -> DescriptorEncoding.named("fp8")).hasMessageContaining("fp32, fp16, int8");
    }
}
