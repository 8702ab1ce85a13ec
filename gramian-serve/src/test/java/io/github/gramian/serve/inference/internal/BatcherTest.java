package io.github.gramian.serve.inference.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.Batcher.BatchListener;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatcherTest {

    private final List<List<Integer>> batches = new CopyOnWriteArrayList<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    private static long in(long millis) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static BatchListener listener(LongConsumer onWaited) {
        return new BatchListener() {
            @Override
            public void onWaited(long nanos) {
                onWaited.accept(nanos);
            }
        };
    }

    private Batcher<Integer, String> batcher(int size, long delayMillis, int queue) {
        return batcher(size, delayMillis, queue, listener(nanos -> {}));
    }

    private Batcher<Integer, String> batcher(int size, long delayMillis, int queue, BatchListener listener) {
        return new Batcher<>(
                "test",
                new BatchLimits(size, Duration.ofMillis(delayMillis), queue),
                inputs -> {
                    batches.add(List.copyOf(inputs));
                    if (inputs.contains(-1)) {
                        await(gate);
                    }
                    if (inputs.contains(-2)) {
                        throw new IllegalStateException("broken");
                    }
                    return inputs.stream().map(input -> "<" + input + ">").toList();
                },
                listener);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitBatches(List<?> batches, int count) throws InterruptedException {
        while (batches.size() < count) {
            Thread.sleep(1);
        }
    }

    @Test
    void each_caller_receives_its_own_output_in_batches_of_at_most_the_size() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(4, 1, 1000)) {
            List<CompletableFuture<List<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                answers.add(batcher.reserve(3, in(60_000)).submit(List.of(3 * i, 3 * i + 1, 3 * i + 2)));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(answers.get(i).get())
                        .containsExactly("<" + 3 * i + ">", "<" + (3 * i + 1) + ">", "<" + (3 * i + 2) + ">");
            }
            assertThat(batches).allMatch(batch -> batch.size() <= 4).anyMatch(batch -> batch.size() == 4);
            assertThat(batcher.waiting()).isZero();
        }
    }

    @Test
    void a_lone_input_does_not_wait_for_others_that_may_come() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(4, 10_000, 10)) {
            long start = System.nanoTime();
            batcher.reserve(1, in(60_000)).submit(List.of(7)).get();
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));
        }
    }

    @Test
    void an_input_waits_for_one_that_is_being_prepared_but_not_longer_than_the_delay() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(4, 10_000, 10)) {
            Batcher<Integer, String>.Reservation later = batcher.reserve(1, in(60_000));
            CompletableFuture<List<String>> first =
                    batcher.reserve(1, in(60_000)).submit(List.of(1));
            Thread.sleep(50);
            assertThat(batches).isEmpty();
            var unused = later.submit(List.of(2));
            first.get();
            assertThat(batches).containsExactly(List.of(1, 2));
        }
        batches.clear();
        try (Batcher<Integer, String> batcher = batcher(4, 20, 10);
                Batcher<Integer, String>.Reservation never = batcher.reserve(1, in(60_000))) {
            batcher.reserve(1, in(60_000)).submit(List.of(1)).get();
            assertThat(batches).containsExactly(List.of(1));
        }
    }

    @Test
    void a_full_queue_refuses_immediately_and_has_capacity_again_when_places_are_released() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(1, 0, 3)) {
            var running = batcher.reserve(1, in(60_000)).submit(List.of(-1));
            awaitBatches(batches, 1);
            Batcher<Integer, String>.Reservation two = batcher.reserve(2, in(60_000));
            var waiting = batcher.reserve(1, in(60_000)).submit(List.of(5));
            assertThatThrownBy(() -> batcher.reserve(1, in(60_000)))
                    .isInstanceOfSatisfying(
                            RequestException.class,
                            full -> assertThat(full.status()).isEqualTo(429))
                    .hasMessageContaining("3 images");
            two.close();
            two.close();
            assertThat(batcher.waiting()).isEqualTo(1);
            var more = batcher.reserve(2, in(60_000)).submit(List.of(6, 7));
            gate.countDown();
            assertThat(running.get()).containsExactly("<-1>");
            assertThat(waiting.get()).containsExactly("<5>");
            assertThat(more.get()).containsExactly("<6>", "<7>");
        }
    }

    @Test
    void an_input_past_its_deadline_fails_immediately_and_is_never_computed() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(2, 0, 10)) {
            var running = batcher.reserve(1, in(60_000)).submit(List.of(-1));
            awaitBatches(batches, 1);
            long start = System.nanoTime();
            var late = batcher.reserve(2, in(50)).submit(List.of(8, 9));
            assertThatThrownBy(late::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RequestException.class);
            // The network is still busy: the caller was notified without waiting for it.
            assertThat(System.nanoTime() - start)
                    .isBetween(TimeUnit.MILLISECONDS.toNanos(40), TimeUnit.SECONDS.toNanos(10));
            assertThat(batcher.waiting()).isZero();
            gate.countDown();
            running.get();
            batcher.reserve(1, in(60_000)).submit(List.of(10)).get();
            assertThat(batches).containsExactly(List.of(-1), List.of(10));
        }
    }

    @Test
    void what_has_started_is_finished_though_its_deadline_passes() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(2, 0, 10)) {
            var running = batcher.reserve(1, in(200)).submit(List.of(-1));
            awaitBatches(batches, 1);
            Thread.sleep(300);
            gate.countDown();
            assertThat(running.get()).containsExactly("<-1>");
        }
    }

    @Test
    void a_batch_that_fails_does_not_stop_the_next() throws Exception {
        try (Batcher<Integer, String> batcher = batcher(1, 0, 10)) {
            assertThatThrownBy(() ->
                            batcher.reserve(1, in(60_000)).submit(List.of(-2)).get())
                    .hasRootCauseMessage("broken");
            assertThat(batcher.reserve(1, in(60_000)).submit(List.of(3)).get()).containsExactly("<3>");
        }
    }

    @Test
    void a_listener_that_fails_does_not_stop_the_next_batch() throws Exception {
        AtomicBoolean failed = new AtomicBoolean();
        BatchListener once = listener(nanos -> {
            if (!failed.getAndSet(true)) {
                throw new IllegalStateException("no capacity for figures");
            }
        });
        try (Batcher<Integer, String> batcher = batcher(1, 0, 10, once)) {
            assertThatThrownBy(() ->
                            batcher.reserve(1, in(60_000)).submit(List.of(2)).get(10, TimeUnit.SECONDS))
                    .hasRootCauseMessage("no capacity for figures");
            assertThat(batcher.reserve(1, in(60_000)).submit(List.of(3)).get(10, TimeUnit.SECONDS))
                    .containsExactly("<3>");
        }
    }

    @Test
    void to_close_it_finishes_what_is_queued() {
        Batcher<Integer, String> batcher = batcher(2, 0, 100);
        var answers = IntStream.range(0, 50)
                .mapToObj(i -> batcher.reserve(1, in(60_000)).submit(List.of(i)))
                .toList();
        batcher.close();
        assertThat(answers).allMatch(answer -> answer.isDone() && !answer.isCompletedExceptionally());
        assertThatThrownBy(() -> batcher.reserve(1, in(60_000))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void places_are_used_once() {
        try (Batcher<Integer, String> batcher = batcher(2, 0, 100);
                Batcher<Integer, String>.Reservation places = batcher.reserve(2, in(60_000))) {
            assertThatThrownBy(() -> places.submit(List.of(1))).isInstanceOf(IllegalArgumentException.class);
            var answer = places.submit(List.of(1, 2));
            assertThatThrownBy(() -> places.submit(List.of(1, 2))).isInstanceOf(IllegalStateException.class);
            assertThat(answer.join()).hasSize(2);
        }
    }
}
