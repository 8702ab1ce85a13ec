package io.github.gramian.serve.inference.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.serve.inference.internal.InferencePipeline.DecodingQueue;
import io.github.gramian.serve.inference.internal.InferencePipeline.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class DecodingQueueTest {

    private static final long SLOW = InferencePipeline.SLOW_PASSES + 1;

    private final DecodingQueue queue = new DecodingQueue();

    private static Task task(String client, long passes, long rank) {
        return new Task(client, passes, rank, () -> {});
    }

    private List<Task> all() {
        List<Task> order = new ArrayList<>();
        for (Task task = queue.next(true); task != null; task = queue.next(true)) {
            order.add(task);
            queue.finished(task);
        }
        return order;
    }

    @Test
    void cheap_requests_of_a_client_come_first() {
        Task expensive = Task.of("a", 1000, InferencePipeline.SLOW_PASSES, () -> {});
        Task cheap = Task.of("a", 1000, 1000, () -> {});
        queue.add(List.of(expensive, cheap));
        assertThat(all()).containsExactly(cheap, expensive);
    }

    @Test
    void an_expensive_request_advances_however_many_cheap_ones_arrive() {
        Task expensive = Task.of("a", SLOW, SLOW, () -> {});
        Task muchLater = task("a", 1, expensive.rank() + 1);
        queue.add(List.of(expensive, muchLater));
        assertThat(all()).containsExactly(expensive, muchLater);
    }

    @Test
    void clients_take_turns_by_the_work_that_they_received() {
        queue.add(List.of(task("a", 10, 1), task("a", 10, 2), task("a", 10, 3)));
        assertThat(queue.next(true)).isEqualTo(task("a", 10, 1));
        queue.add(List.of(task("b", 5, 7), task("b", 5, 8)));
        List<String> order = new ArrayList<>();
        for (Task task = queue.next(true); task != null; task = queue.next(true)) {
            order.add(task.client() + task.rank());
        }
        assertThat(order).containsExactly("b7", "b8", "a2", "a3");
    }

    @Test
    void slow_images_wait_while_they_may_not_start() {
        queue.add(List.of(task("a", SLOW, 1), task("a", 1, 2)));
        assertThat(queue.next(false)).isEqualTo(task("a", 1, 2));
        assertThat(queue.next(false)).isNull();
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.next(true)).isEqualTo(task("a", SLOW, 1));
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void removed_images_are_never_decoded() {
        List<Task> removed = List.of(task("a", 1, 1), task("a", SLOW, 2));
        queue.add(removed);
        queue.add(List.of(task("a", 1, 3)));
        queue.remove(removed);
        assertThat(all()).containsExactly(task("a", 1, 3));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "4, 3"})
    void slow_images_never_take_all_threads(int cores, int atMost) throws InterruptedException {
        try (DecodingQueue threads = new DecodingQueue().start(cores)) {
            CountDownLatch over = new CountDownLatch(1);
            AtomicInteger started = new AtomicInteger();
            Semaphore start = new Semaphore(0);
            for (int i = 0; i < 2 * cores + 2; i++) {
                threads.add(List.of(new Task("client " + i, SLOW, i, () -> {
                    started.incrementAndGet();
                    start.release();
                    awaitQuietly(over);
                })));
            }
            assertThat(start.tryAcquire(atMost, 30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch quick = new CountDownLatch(1);
            threads.add(List.of(new Task("client 0", 1, Long.MAX_VALUE / 2, quick::countDown)));
            assertThat(quick.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(started.get()).isEqualTo(atMost);
            over.countDown();
            assertThat(start.tryAcquire(2 * cores + 2 - atMost, 30, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
