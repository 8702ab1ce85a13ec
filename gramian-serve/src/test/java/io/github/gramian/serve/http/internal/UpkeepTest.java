package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UpkeepTest {

    private static final Logger LOGGER = Logger.getLogger("io.github.gramian.serve");

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            log.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        LOGGER.removeHandler(handler);
    }

    @Test
    void a_task_that_hangs_is_reported_and_delays_neither_the_others_nor_the_end() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(2);
        try (Upkeep upkeep = new Upkeep()) {
            upkeep.start("model", Duration.ofMillis(1), "the old model remains in use", () -> await(never));
            upkeep.start("keys", Duration.ofMinutes(1), "the old keys remain in use", others::countDown);
            others.await();
            assertThat(upkeep.rounds()).isZero();
        }
        assertThat(log)
                .singleElement()
                .asString()
                .startsWith("the old model remains in use: reading has taken more than");
        never.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_failure_that_lasts_is_reported_once() throws Exception {
        try (Upkeep upkeep = new Upkeep()) {
            upkeep.start("index", Duration.ofMinutes(1), "the old index remains in use", () -> {
                throw new IllegalArgumentException("it is damaged");
            });
            while (upkeep.rounds() < 2) {
                Thread.sleep(5);
            }
        }
        assertThat(log).containsExactly("the old index remains in use: it is damaged");
    }

    @Test
    void when_the_server_ends_a_request_without_an_answer_gets_503() throws Exception {
        Router.State state = new Router.State();
        var pending = state.orEnded(new java.util.concurrent.CompletableFuture<>());
        state.endAfter(Duration.ofMillis(1));
        assertThat(pending.get().status()).isEqualTo(503);
    }
}
