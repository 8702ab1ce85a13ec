package io.github.gramian.linalg.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchProductTest {

    @ParameterizedTest
    @CsvSource({"1, 5, 3", "3, 5, 3", "1, 513, 7", "2, 512, 30", "2, 600, 4"})
    void a_symmetric_product_is_the_product(long batch, long n, long k) {
        try (Scope scope = Scope.open()) {
            Tensor A = new Seed(1).normal(Placement.cpu(Precision.DOUBLE), batch, n, k);
            Tensor expected = torch.bmm(A, A.mT());
            assertThat(BatchProduct.symmetric(A, A.mT())
                            .sub(expected)
                            .abs()
                            .max()
                            .item_double())
                    .isLessThan(1e-12);
            assertThat(BatchProduct.plain(A, A.mT()).sub(expected).abs().max().item_double())
                    .isLessThan(1e-12);
        }
    }
}
