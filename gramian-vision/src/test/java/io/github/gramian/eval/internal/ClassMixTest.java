package io.github.gramian.eval.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClassMixTest {

    private static final List<String> CLASSES = List.of("linen", "wool", "silk");

    private static List<Prediction> predictions(int... counts) {
        return IntStream.range(0, counts.length)
                .boxed()
                .flatMap(k -> IntStream.range(0, counts[k]).mapToObj(i -> {
                    float[] probabilities = {0.1f, 0.1f, 0.1f};
                    probabilities[k] = 0.8f;
                    return Prediction.of("", CLASSES, probabilities);
                }))
                .toList();
    }

    @Test
    void the_largest_difference_comes_first() {
        ClassMix mix = ClassMix.of(predictions(10, 10, 80), predictions(10, 30, 10), 1);
        assertThat(mix.shares().get(0)).isEqualTo(new ClassMix.Share("silk", 0.8, 0.2));
        assertThat(mix.shares().get(1)).isEqualTo(new ClassMix.Share("wool", 0.1, 0.6));
        assertThat(mix.pValue()).isLessThan(0.001);
    }

    @Test
    void equal_shares_do_not_differ() {
        assertThat(ClassMix.of(predictions(20, 20, 20), predictions(10, 10, 10), 1)
                        .pValue())
                .isEqualTo(1);
        assertThat(ClassMix.of(predictions(5, 0, 0), predictions(7, 0, 0), 1).pValue())
                .isEqualTo(1);
    }

    /** 1,000 draws for each of 100 comparisons of small samples: 0.05 ± 3 standard deviations. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void samples_of_the_same_mix_differ_at_the_nominal_rate(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int alarms = 0;
        for (int i = 0; i < 100; i++) {
            int[][] counts = new int[2][3];
            for (int image = 0; image < 100; image++) {
                double uniform = random.nextDouble();
                counts[image % 2][uniform < 0.5 ? 0 : uniform < 0.8 ? 1 : 2]++;
            }
            alarms += ClassMix.pValue(counts[0], counts[1], random.nextLong()) <= 0.05 ? 1 : 0;
        }
        assertThat(alarms).isBetween(1, 11);
    }
}
