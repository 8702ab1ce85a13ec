package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.serve.SmallModels;
import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.model.internal.ModelSpec;
import io.github.gramian.serve.model.internal.ServedModel;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many clients at once: more than there is room for, while models are replaced, while the server ends. */
@Timeout(120)
class UnderLoadTest {

    private static final int CLIENTS = 12;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** An answer and how long it took. */
    private record Outcome(int status, String body, long millis, boolean retryAfter) {}

    private static Outcome post(TestServer server, int image) throws Exception {
        long start = System.nanoTime();
        HttpResponse<byte[]> response = server.post("/predict", SmallModels.image(image));
        return new Outcome(
                response.statusCode(),
                new String(response.body(), java.nio.charset.StandardCharsets.UTF_8),
                (System.nanoTime() - start) / 1_000_000,
                response.headers().firstValue("Retry-After").isPresent());
    }

    /** The probability of its class, which differs between the two models by more than batches make it differ. */
    private static double probability(TestServer server) throws Exception {
        return TestServer.JSON
                .readTree(post(server, 0).body())
                .path("probability")
                .asDouble();
    }

    private static long median(List<Outcome> outcomes, int status) {
        long[] times = outcomes.stream()
                .filter(one -> one.status() == status)
                .mapToLong(Outcome::millis)
                .sorted()
                .toArray();
        return times[times.length / 2];
    }

    private static ServerSettings with(ServerSettings old, BatchLimits batch, HttpLimits http) {
        return new ServerSettings(old.models(), old.address(), batch, http, old.images(), old.access(), old.features());
    }

    /** Clients that ask until they are told to stop. */
    private static List<Outcome> whileClientsAsk(TestServer server, int clients, Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        AtomicBoolean stop = new AtomicBoolean();
        List<Outcome> outcomes = new CopyOnWriteArrayList<>();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                int client = c;
                running.add(threads.submit(() -> {
                    for (int i = client; !stop.get(); i++) {
                        outcomes.add(post(server, i % 36));
                    }
                    return null;
                }));
            }
            work.run();
            stop.set(true);
            for (Future<?> one : running) {
                one.get();
            }
        } finally {
            stop.set(true);
            threads.shutdownNow();
        }
        return outcomes;
    }

    private interface Work {
        void run() throws Exception;
    }

    @Test
    void a_full_queue_says_so_quickly_and_everyone_else_is_answered() throws Exception {
        HttpLimits http = TestServer.limits(Duration.ofSeconds(20), Duration.ofSeconds(30));
        try (TestServer server =
                TestServer.start(settings -> with(settings, new BatchLimits(2, Duration.ZERO, 3), http))) {
            List<Outcome> outcomes = whileClientsAsk(server, CLIENTS, () -> Thread.sleep(1500));
            Set<Integer> statuses = new TreeSet<>();
            outcomes.forEach(one -> statuses.add(one.status()));
            assertThat(statuses).containsExactly(200, 429);
            assertThat(outcomes).allMatch(one -> one.retryAfter() == (one.status() == 429));
            // How many milliseconds is a matter of the machine; that it is no wait is not.
            assertThat(median(outcomes, 429)).isLessThan(median(outcomes, 200));
        }
    }

    @Test
    void what_waits_too_long_gets_504_and_the_server_stays_well() throws Exception {
        HttpLimits http = TestServer.limits(Duration.ofSeconds(20), Duration.ofMillis(1));
        try (TestServer server =
                TestServer.start(settings -> with(settings, new BatchLimits(1, Duration.ZERO, 64), http))) {
            List<Outcome> outcomes = whileClientsAsk(server, CLIENTS, () -> Thread.sleep(500));
            assertThat(outcomes).anyMatch(one -> one.status() == 504);
            assertThat(outcomes).allMatch(one -> one.status() == 504 || one.status() == 200);
            assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
            assertThat(new String(server.get("/metrics").body(), java.nio.charset.StandardCharsets.UTF_8))
                    .contains("gramian_rejected_total{reason=\"deadline\"}");
        }
    }

    /** One model, which is loaded again when its file is replaced and when a client asks. */
    private static ServerSettings watching(ServerSettings old, Path model) {
        return new ServerSettings(
                List.of(new ModelSpec("textures", "1", model)),
                old.address(),
                old.batch(),
                old.http(),
                old.images(),
                old.access(),
                new ServerSettings.Features(true, true, true, Duration.ZERO));
    }

    @Test
    void models_are_replaced_without_a_failed_request() throws Exception {
        Path file = Files.copy(SmallModels.first(), folder.resolve("model.gramian"));
        try (TestServer server = TestServer.start(old -> watching(old, file))) {
            double before = probability(server);
            List<ServedModel> old = server.server.models().all();
            List<Outcome> outcomes = whileClientsAsk(server, 4, () -> {
                for (int i = 0; i < 3; i++) {
                    assertThat(server.post("/v2/repository/models/textures/load", new byte[0])
                                    .statusCode())
                            .isEqualTo(200);
                }
                Path next = Files.copy(SmallModels.second(), folder.resolve("next"));
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                while (Math.abs(probability(server) - before) < 1e-3) {
                    Thread.sleep(20);
                }
            });
            assertThat(outcomes).hasSizeGreaterThan(8).allMatch(one -> one.status() == 200);
            assertThat(probability(server)).isNotCloseTo(before, within(1e-3));
            old.get(0).awaitFreed();
            // A file that is no model is refused, and the model stays.
            Files.writeString(file, "nothing");
            HttpResponse<byte[]> refused = server.post("/v2/repository/models/textures/load", new byte[0]);
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(post(server, 0).status()).isEqualTo(200);
        }
    }

    @Test
    void a_model_that_is_gone_for_a_while_is_replaced_when_it_comes_back() throws Exception {
        Path run = Files.createDirectories(folder.resolve("run"));
        Path file = Files.copy(SmallModels.first(), run.resolve("model.gramian"));
        try (TestServer server = TestServer.start(old -> watching(old, run))) {
            double before = probability(server);
            Files.delete(file);
            Thread.sleep(2500); // more than two rounds of upkeep
            assertThat(probability(server)).isCloseTo(before, within(1e-6));
            Files.copy(SmallModels.second(), file);
            for (int i = 0; i < 500 && Math.abs(probability(server) - before) < 1e-3; i++) {
                Thread.sleep(20);
            }
            assertThat(probability(server)).isNotCloseTo(before, within(1e-3));
        }
    }

    @Test
    void to_end_the_server_answers_what_it_has_accepted() throws Exception {
        try (TestServer server = TestServer.start(old -> new ServerSettings(
                old.models(),
                old.address(),
                old.batch(),
                old.http(),
                old.images(),
                old.access(),
                new ServerSettings.Features(false, false, false, Duration.ofMillis(700))))) {
            assertThat(server.get("/").statusCode()).isEqualTo(404); // no page
            List<Outcome> outcomes = new CopyOnWriteArrayList<>();
            List<Exception> failures = new CopyOnWriteArrayList<>();
            List<Thread> clients = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                Thread thread = new Thread(() -> {
                    try {
                        for (int i = client; ; i++) {
                            outcomes.add(post(server, i % 36));
                        }
                    } catch (Exception e) {
                        failures.add(e);
                    }
                });
                clients.add(thread);
                thread.start();
            }
            while (outcomes.size() < CLIENTS) {
                Thread.sleep(5);
            }
            Thread draining = new Thread(() -> {
                try {
                    server.server.drain();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            draining.start();
            Thread.sleep(200);
            HttpResponse<byte[]> ready = server.get("/v2/health/ready");
            assertThat(ready.statusCode()).isEqualTo(400);
            assertThat(ready.headers().firstValue("Connection")).contains("close");
            assertThat(server.get("/v2/health/live").statusCode()).isEqualTo(200);
            draining.join();
            for (Thread client : clients) {
                client.join();
            }
            // Connections are refused in the end, but nobody who was let in is left without an answer.
            assertThat(outcomes).allMatch(one -> one.status() == 200);
            assertThat(failures).hasSize(CLIENTS);
            assertThat(server.log.stream().filter(line -> line.contains("\"path\":\"/predict\"")))
                    .hasSameSizeAs(outcomes);
        }
    }
}
