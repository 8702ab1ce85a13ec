package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class EngineStartTest {

    @Test
    void the_engine_works_once_it_was_waited_for() {
        try (EngineStart start = EngineStart.begin()) {
            start.await();
            start.await();
            assertThat(Engine.describe().threads()).isPositive();
        }
    }

    @Test
    void an_interrupt_waits_for_the_engine_and_is_not_lost() {
        Thread.currentThread().interrupt();
        try (EngineStart start = EngineStart.begin()) {
            start.await();
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void an_error_of_loading_reaches_the_waiting_caller_unchanged() {
        UncheckedIOException full = new UncheckedIOException("no space for libraries", new IOException("disk full"));
        try (EngineStart start = EngineStart.begin(() -> {
            throw full;
        })) {
            assertThatThrownBy(start::await).isSameAs(full);
        }
    }
}
