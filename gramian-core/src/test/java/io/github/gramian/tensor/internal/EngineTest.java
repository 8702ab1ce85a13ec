package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EngineTest {

    @Test
    void the_engine_describes_itself() {
        Engine.Description engine = Engine.describe();
        assertThat(engine.version()).startsWith("2.");
        assertThat(engine.blas()).isIn("OpenBLAS", "MKL");
        assertThat(engine.devices()).contains("cpu");
        assertThat(engine.cpuCapability()).isNotBlank();
        assertThat(engine.nativeCache()).isNotBlank();
    }

    @Test
    void rounding_is_known_by_a_checksum_that_does_not_change() {
        assertThat(Engine.rounding()).hasSize(8).isEqualTo(Engine.rounding());
    }

    @Test
    void the_number_of_threads_is_a_setting() {
        int before = Engine.describe().threads();
        Engine.useThreads(1);
        assertThat(Engine.describe().threads()).isEqualTo(1);
        Engine.useThreads(before);
        assertThatThrownBy(() -> Engine.useThreads(0)).hasMessageContaining("at least 1");
    }
}
