package io.github.gramian.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.internal.ScalarTypes;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementTest {

    @ParameterizedTest
    @EnumSource(Precision.class)
    void a_tensor_made_with_a_placement_has_that_placement(Precision precision) {
        try (Scope scope = Scope.open()) {
            Placement placement = Placement.cpu(precision);
            Tensor made = torch.zeros(new long[] {2}, placement.options());
            assertThat(Placement.of(made)).isEqualTo(placement);
            assertThat(made.element_size()).isEqualTo(precision.bytes());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "mps", "cuda", "cuda:0", "cuda:12"})
    void known_devices_are_accepted(String device) {
        assertThat(new Placement(device, Precision.FLOAT).device()).isEqualTo(device);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gpu", "cuda:", "cuda:-1", "cpu;rm"})
    void an_unknown_device_is_refused_with_advice(String device) {
        assertThatThrownBy(() -> new Placement(device, Precision.FLOAT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cuda:N");
    }

    @Test
    void an_integer_tensor_has_no_precision() {
        assertThatThrownBy(() -> ScalarTypes.precision(ScalarType.Long)).hasMessageContaining("convert");
    }
}
