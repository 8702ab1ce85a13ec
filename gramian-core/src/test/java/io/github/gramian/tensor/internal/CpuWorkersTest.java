package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CpuWorkersTest {

    private final int defaultThreads = torch.get_num_threads();

    @BeforeEach
    void three() {
        Engine.useThreads(3);
    }

    @AfterEach
    void back() {
        Engine.useThreads(defaultThreads);
    }

    @Test
    void every_task_runs_once_and_knows_its_number() {
        AtomicIntegerArray runs = new AtomicIntegerArray(20);
        CpuWorkers.run(20, task -> {
            assertThat(CpuWorkers.task()).isEqualTo(task);
            runs.incrementAndGet(task);
        });
        for (int task = 0; task < 20; task++) {
            assertThat(runs.get(task)).isEqualTo(1);
        }
    }

    @Test
    void several_threads_take_part_and_each_is_single_threaded() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        CpuWorkers.run(30, task -> {
            threads.add(Thread.currentThread());
            assertThat(torch.get_num_threads()).isEqualTo(1);
            assertThat(CpuWorkers.count()).isEqualTo(1);
            try {
                Thread.sleep(2); // so that no worker does all the work before the others start
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(threads).hasSizeGreaterThan(1).doesNotContain(Thread.currentThread());
        assertThat(torch.get_num_threads()).isEqualTo(3);
    }

    @Test
    void a_thread_that_starts_later_has_the_threads_of_the_engine() throws InterruptedException {
        CpuWorkers.run(3, task -> {});
        int[] found = new int[1];
        Thread later = new Thread(() -> found[0] = torch.get_num_threads());
        later.start();
        later.join();
        assertThat(found[0]).isEqualTo(3);
    }

    @Test
    void tasks_inside_a_task_run_on_its_thread() {
        CpuWorkers.run(2, outer -> {
            Thread here = Thread.currentThread();
            CpuWorkers.run(3, inner -> assertThat(Thread.currentThread()).isSameAs(here));
            assertThat(CpuWorkers.task()).isEqualTo(outer);
        });
    }

    @Test
    void a_failure_is_thrown_when_all_have_ended() {
        AtomicIntegerArray runs = new AtomicIntegerArray(6);
        assertThatThrownBy(() -> CpuWorkers.run(6, task -> {
                    runs.incrementAndGet(task);
                    if (task == 1) {
                        throw new IllegalArgumentException("task 1");
                    }
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("task 1");
        assertThat(runs.get(5)).isEqualTo(1);
        assertThatThrownBy(() -> CpuWorkers.run(2, task -> {
                    throw new AssertionError("both");
                }))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void outside_of_workers_there_is_no_task() {
        assertThat(CpuWorkers.insideTask()).isFalse();
        assertThatThrownBy(CpuWorkers::task).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void sections_of_large_products_may_overlap() {
        try (Blas.AllThreads first = Blas.allThreads();
                Blas.AllThreads second = Blas.allThreads()) {
            assertThat(first).isNotSameAs(second);
        }
        CpuWorkers.run(4, task -> assertThat(CpuWorkers.insideTask()).isTrue());
    }
}
