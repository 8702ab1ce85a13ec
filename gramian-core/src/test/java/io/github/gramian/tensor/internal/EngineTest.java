package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
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

    @Test
    void the_engine_works_once_it_was_waited_for() {
        try (Engine.Start start = Engine.Start.begin()) {
            start.await();
            start.await();
            assertThat(Engine.describe().threads()).isPositive();
        }
    }

    @Test
    void an_interrupt_waits_for_the_engine_and_is_not_lost() {
        Thread.currentThread().interrupt();
        try (Engine.Start start = Engine.Start.begin()) {
            start.await();
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void an_error_of_loading_reaches_the_waiting_caller_unchanged() {
        UncheckedIOException full = new UncheckedIOException("no space for libraries", new IOException("disk full"));
        try (Engine.Start start = Engine.Start.begin(() -> {
            throw full;
        })) {
            assertThatThrownBy(start::await).isSameAs(full);
        }
    }
}
