package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.recipe.RidgeConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RidgeMethodTest {

    /** 40 · 7,327² bytes are just within 2 GiB. */
    @ParameterizedTest
    @CsvSource({
        "2, 5, 0, DUAL",
        "12000, 2048, 2147483648, DUAL",
        "12000, 1000000, 2147483648, DUAL",
        "12001, 2048, 2147483648, PRIMAL",
        "100000, 7327, 2147483648, PRIMAL",
        "12001, 7328, 2147483648, CONJUGATE_GRADIENTS",
        "100000, 32896, 2147483648, CONJUGATE_GRADIENTS",
        "12001, 10, 4000, PRIMAL",
        "12001, 10, 3999, CONJUGATE_GRADIENTS",
        "12001, 3000000000, 9223372036854775807, CONJUGATE_GRADIENTS"
    })
    void rows_dimensions_and_memory_decide(long rows, long length, long memory, RidgeClassifier.Method expected) {
        RidgeClassifier.Method method =
                RidgeClassifier.Method.of(rows, length, new RidgeConfig(List.of(1.0), 256, memory));
        assertThat(method).isEqualTo(expected);
        assertThat(method.leavesOut()).isEqualTo(expected != RidgeClassifier.Method.CONJUGATE_GRADIENTS);
    }

    @Test
    void every_method_describes_itself() {
        assertThat(RidgeClassifier.Method.CONJUGATE_GRADIENTS.sentence(53_880, 32_896))
                .isEqualTo("the closed form for 53,880 images of 32,896 dimensions is solved by conjugate gradients");
        assertThat(RidgeClassifier.Method.PRIMAL.sentence(20_000, 2048))
                .isEqualTo("the closed form for 20,000 images is solved from the moments of their 2,048 dimensions");
        assertThat(RidgeClassifier.Method.DUAL.sentence(600, 7)).contains("600 images");
    }
}
