package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
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

    @Test
    void a_failure_ends_the_other_workers_too() {
        List<Integer> items = IntStream.range(0, 3000).boxed().toList();
        AtomicInteger done = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        assertThatThrownBy(() -> ParallelWork.map(items, 2, i -> {
                    if (i == 1) {
                        awaitStart(started);
                        throw new IllegalStateException("one");
                    }
                    started.countDown();
                    LockSupport.parkNanos(1_000_000);
                    return done.incrementAndGet();
                }))
                .hasMessage("one");
        assertThat(done.get()).isLessThan(items.size() / 2);
    }

    private static void awaitStart(CountDownLatch started) {
        try {
            started.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void an_error_is_rethrown_as_an_error() {
        assertThatThrownBy(() -> ParallelWork.map(List.of(1), 1, i -> {
                    throw new OutOfMemoryError("as if");
                }))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("as if");
    }
}
