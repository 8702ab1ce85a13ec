package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against the JDK's server, which waits a while and refuses every fourth request. */
class BenchServerTest {

    private static final int MILLIS = 20;

    @TempDir
    private Path images;

    private final AtomicInteger requests = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        Files.write(images.resolve("a.jpg"), new byte[1000]);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/predict", exchange -> {
            try (exchange) {
                assertThat(exchange.getRequestBody().readAllBytes()).hasSize(1000);
                Thread.sleep(MILLIS);
                exchange.sendResponseHeaders(requests.incrementAndGet() % 4 == 0 ? 429 : 200, -1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    @Test
    void clients_wait_for_their_answers() throws IOException {
        JsonNode round = measured("--clients", 2, "--seconds", 1);
        assertThat(counted(round)).isEqualTo(requests.get()).isBetween(4, 2 + 2 * 1000 / MILLIS);
    }

    @Test
    void a_rate_does_not_wait() throws IOException {
        JsonNode round = measured("--rate", 100, "--seconds", 0.5);
        assertThat(counted(round)).isEqualTo(requests.get()).isEqualTo(50);
    }

    @Test
    void a_server_that_is_not_there_is_counted() throws IOException {
        server.stop(0);
        JsonNode round = measured("--rate", 20, "--seconds", 0.1);
        assertThat(round.get(0).path("status").asInt()).isEqualTo(-1);
        assertThat(round.get(0).path("count").asInt()).isEqualTo(2);
    }

    @Test
    void a_load_of_nothing_is_refused() {
        String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/predict";
        gramian("bench", "server", address, images, "--clients", 0).refused(2, "at least 1 client");
        gramian("bench", "server", address, images, "--rate", 0).refused(2, "above 0 requests");
        gramian("bench", "server", address, images, "--seconds", 0).refused(2, "a time above 0");
    }

    private JsonNode measured(Object... how) throws IOException {
        Object[] words = new Object[how.length + 6];
        words[0] = "bench";
        words[1] = "server";
        words[2] = "http://127.0.0.1:" + server.getAddress().getPort() + "/predict";
        words[3] = images;
        System.arraycopy(how, 0, words, 4, how.length);
        words[words.length - 2] = "--rounds=1";
        words[words.length - 1] = "--json";
        return gramian(words).succeeded().json().path("rounds").get(0);
    }

    /** All answers; each took at least as long as the server waits, and every fourth was refused. */
    private static int counted(JsonNode round) {
        assertThat(round).hasSize(2);
        JsonNode answered = round.get(0);
        JsonNode refused = round.get(1);
        assertThat(answered.path("status").asInt()).isEqualTo(200);
        assertThat(refused.path("status").asInt()).isEqualTo(429);
        assertThat(answered.path("p50").asDouble()).isGreaterThanOrEqualTo(MILLIS);
        assertThat(answered.path("p50").asDouble())
                .isLessThanOrEqualTo(answered.path("p999").asDouble());
        int all = answered.path("count").asInt() + refused.path("count").asInt();
        assertThat(refused.path("count").asInt()).isEqualTo(all / 4);
        return all;
    }
}
