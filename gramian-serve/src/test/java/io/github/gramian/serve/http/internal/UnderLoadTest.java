package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallModels;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.ModelSpec;
import io.github.gramian.serve.inference.internal.ServedModel;
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

/** Many clients at once: more than the queue has capacity for, while models are replaced, while the server ends. */
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
        return TestServer.with(old, batch, http);
    }

    /** Clients that send requests until the work is done. */
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
            work.run(outcomes);
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

    private static void awaitAnswers(List<Outcome> seen, int status, int count) throws InterruptedException {
        while (seen.stream().filter(one -> one.status() == status).count() < count) {
            Thread.sleep(5);
        }
    }

    /** The hash of the model that every kind of answer and the metadata report. */
    private static String hash(TestServer server) throws Exception {
        byte[] image = SmallModels.image(0);
        String raw = new String(
                server.post("/v2/models/textures/infer", image, "Inference-Header-Content-Length", "0")
                        .body(),
                java.nio.charset.StandardCharsets.ISO_8859_1);
        Set<String> reported = new TreeSet<>(List.of(
                raw.replaceAll("(?s).*\"parameters\":\\{\"modelSha256\":\"([0-9a-f]{64})\".*", "$1"),
                TestServer.json(server.get("/v2/models/textures"))
                        .path("parameters")
                        .path("modelSha256")
                        .asText(),
                TestServer.json(server.get("/page/status"))
                        .path("models")
                        .get(0)
                        .path("modelSha256")
                        .asText()));
        for (String address : List.of("/predict", "/describe", "/explain")) {
            reported.add(TestServer.json(server.post(address, image))
                    .path("modelSha256")
                    .asText());
        }
        assertThat(reported).hasSize(1);
        return reported.iterator().next();
    }

    private interface Work {
        void run(List<Outcome> outcomes) throws Exception;
    }

    @Test
    void a_full_queue_answers_429_faster_than_the_others_are_computed() throws Exception {
        HttpLimits http = TestServer.limits(Duration.ofSeconds(20), Duration.ofSeconds(30));
        try (TestServer server =
                TestServer.start(settings -> with(settings, new BatchLimits(2, Duration.ZERO, 3), http))) {
            List<Outcome> outcomes = whileClientsAsk(server, CLIENTS, seen -> {
                awaitAnswers(seen, 200, 30);
                awaitAnswers(seen, 429, 30);
            });
            Set<Integer> statuses = new TreeSet<>();
            outcomes.forEach(one -> statuses.add(one.status()));
            assertThat(statuses).containsExactly(200, 429);
            assertThat(outcomes).allMatch(one -> one.retryAfter() == (one.status() == 429));
            // The times depend on the machine, but a refusal never waits for a computation.
            assertThat(median(outcomes, 429)).isLessThan(median(outcomes, 200));
        }
    }

    @Test
    void requests_past_their_deadline_get_504_and_the_server_remains_ready() throws Exception {
        HttpLimits http = TestServer.limits(Duration.ofSeconds(20), Duration.ofMillis(1));
        try (TestServer server =
                TestServer.start(settings -> with(settings, new BatchLimits(1, Duration.ZERO, 64), http))) {
            List<Outcome> outcomes = whileClientsAsk(server, CLIENTS, seen -> awaitAnswers(seen, 504, CLIENTS));
            assertThat(outcomes).anyMatch(one -> one.status() == 504);
            assertThat(outcomes).allMatch(one -> one.status() == 504 || one.status() == 200);
            assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
            assertThat(new String(server.get("/metrics").body(), java.nio.charset.StandardCharsets.UTF_8))
                    .contains("gramian_rejected_total{reason=\"deadline\"}");
        }
    }

    /** One model, which is loaded again when its file is replaced and when a client asks. */
    private static ServerSettings watching(ServerSettings old, Path model) {
        return TestServer.with(
                old,
                List.of(new ModelSpec("textures", "1", model)),
                new ServerSettings.Features(true, true, true, Duration.ZERO));
    }

    @Test
    void models_are_replaced_without_a_failed_request() throws Exception {
        Path file = Files.copy(SmallModels.first(), folder.resolve("model.gramian"));
        try (TestServer server = TestServer.start(old -> watching(old, file))) {
            double before = probability(server);
            assertThat(hash(server))
                    .isEqualTo(new Sha256().add(SmallModels.first()).hex());
            List<ServedModel> old = server.server.models().all();
            List<Outcome> outcomes = whileClientsAsk(server, 4, seen -> {
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
            assertThat(hash(server))
                    .isEqualTo(new Sha256().add(SmallModels.second()).hex());
            old.get(0).awaitFreed();
            // A file that is not a model is refused, and the old model remains in use.
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
            server.awaitUpkeep();
            assertThat(probability(server)).isCloseTo(before, within(1e-6));
            Files.copy(SmallModels.second(), file);
            while (Math.abs(probability(server) - before) < 1e-3) {
                Thread.sleep(20);
            }
            assertThat(probability(server)).isNotCloseTo(before, within(1e-3));
        }
    }

    @Test
    void to_end_the_server_answers_what_it_has_accepted() throws Exception {
        try (TestServer server = TestServer.start(old ->
                TestServer.with(old, new ServerSettings.Features(false, false, false, Duration.ofMillis(700))))) {
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
            HttpResponse<byte[]> ready = server.get("/v2/health/ready");
            while (ready.statusCode() == 200) {
                ready = server.get("/v2/health/ready");
            }
            assertThat(ready.statusCode()).isEqualTo(400);
            assertThat(ready.headers().firstValue("Connection")).contains("close");
            assertThat(server.get("/v2/health/live").statusCode()).isEqualTo(200);
            draining.join();
            for (Thread client : clients) {
                client.join();
            }
            // Connections are refused in the end, but every accepted request is answered.
            assertThat(outcomes).allMatch(one -> one.status() == 200);
            assertThat(failures).hasSize(CLIENTS);
            assertThat(server.log.stream().filter(line -> line.contains("\"path\":\"/predict\"")))
                    .hasSameSizeAs(outcomes);
        }
    }
}
