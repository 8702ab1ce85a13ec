package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ParallelWorkTest {

    @Test
    void a_failure_on_a_worker_thread_reaches_the_caller() {
        assertThatThrownBy(() -> ParallelWork.map(List.of(1, 2, 3), 2, i -> {
                    if (i == 2) {
                        throw new IllegalStateException("two");
                    }
                    return i;
                }))
                .hasMessage("two");
        assertThatThrownBy(() -> ParallelWork.map(List.of(), 0, i -> i)).hasMessageContaining("at least 1");
        assertThat(ParallelWork.map(List.of(1, 2, 3), 2, i -> i * i)).containsExactly(1, 4, 9);
    }
}
