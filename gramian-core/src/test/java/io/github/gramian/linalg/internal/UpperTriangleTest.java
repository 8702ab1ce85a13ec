package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;

class UpperTriangleTest {

    @Test
    void order_version_1_goes_row_by_row_from_the_diagonal_to_the_right() {
        try (Scope scope = Scope.open();
                UpperTriangle triangle = new UpperTriangle(3, "cpu")) {
            Tensor matrix = torch.arange(scalar(9.0)).view(1, 3, 3);
            assertThat(UpperTriangle.ORDER_VERSION).isEqualTo(1);
            assertThat(triangle.gather(matrix)
                            .equal(torch.tensor(new float[] {0, 1, 2, 4, 5, 8}).view(1, 6)))
                    .isTrue();
            assertThat(triangle.diagonalMask()
                            .equal(torch.tensor(new int[] {1, 0, 0, 1, 0, 1}).gt(scalar(0.5))))
                    .isTrue();
        }
    }

    @Test
    void scattering_what_was_gathered_gives_a_symmetric_matrix_back() {
        try (Scope scope = Scope.open();
                UpperTriangle triangle = new UpperTriangle(7, "cpu")) {
            Tensor symmetric = Symmetric.part(torch.randn(4, 7, 7));
            assertThat(triangle.length()).isEqualTo(28);
            assertThat(triangle.scatter(triangle.gather(symmetric)).equal(symmetric))
                    .isTrue();
        }
    }

    @Test
    void a_triangle_of_nothing_is_refused() {
        assertThatThrownBy(() -> new UpperTriangle(0, "cpu")).hasMessageContaining("1..32768");
    }
}
