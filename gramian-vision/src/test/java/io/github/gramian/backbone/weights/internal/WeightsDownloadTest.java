package io.github.gramian.backbone.weights.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.gramian.backbone.weights.WeightsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real server on this machine; it can drop connections, ignore ranges, redirect, and send incorrect data. */
class WeightsDownloadTest {

    private static final long PLENTY = 1 << 30;

    @TempDir
    Path folder;

    private final byte[] content = new byte[300_000];
    private final List<String> ranges = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server = start();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile int breakAfter = Integer.MAX_VALUE;

    @BeforeEach
    void fill() {
        new SplittableRandom(5).nextBytes(content);
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
    }

    @Test
    void a_file_arrives_whole_and_once() throws Exception {
        List<Long> progress = new ArrayList<>();
        WeightsDownload.Request request = request("/ranges", sha256());
        WeightsDownload.fetch(request, (done, total) -> {
            assertThat(total).isEqualTo(content.length);
            progress.add(done);
        });
        assertThat(Files.readAllBytes(request.target())).isEqualTo(content);
        assertThat(progress).isSorted().endsWith((long) content.length);
        WeightsDownload.fetch(request, (done, total) -> {});
        assertThat(ranges).hasSize(1);
        assertThat(request.part()).doesNotExist();
    }

    @Test
    void a_broken_transfer_continues_where_it_stopped() throws Exception {
        breakAfter = 100_000;
        WeightsDownload.Request request = request("/ranges", sha256());
        assertThatThrownBy(() -> WeightsDownload.fetch(request, (done, total) -> {}))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("continues from there");
        long have = Files.size(request.part());
        assertThat(have).isBetween(1L, 100_000L);
        assertThat(request.target()).doesNotExist();
        breakAfter = Integer.MAX_VALUE;
        WeightsDownload.fetch(request, (done, total) -> {});
        assertThat(ranges).containsExactly("", "bytes=" + have + "-");
        assertThat(Files.readAllBytes(request.target())).isEqualTo(content);
    }

    @Test
    @Timeout(20)
    void a_body_that_stalls_is_given_up_and_continues_where_it_stopped() throws Exception {
        WeightsDownload.Request request = request("/stalled", sha256());
        assertThatThrownBy(() -> WeightsDownload.fetch(request, (done, total) -> {}, Duration.ofMillis(500)))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("stalled after 100000 bytes", "continues from there");
        assertThat(request.part()).hasSize(100_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain", "/redirect"})
    void a_server_without_ranges_sends_all_again(String path) throws Exception {
        WeightsDownload.Request request = request(path, sha256());
        Files.write(request.part(), Arrays.copyOf(content, 1000));
        WeightsDownload.fetch(request, (done, total) -> {});
        assertThat(Files.readAllBytes(request.target())).isEqualTo(content);
    }

    @Test
    void a_complete_part_needs_no_transfer() throws Exception {
        WeightsDownload.Request request = request("/ranges", sha256());
        Files.write(request.part(), content);
        WeightsDownload.fetch(request, (done, total) -> {});
        assertThat(Files.readAllBytes(request.target())).isEqualTo(content);
    }

    @Test
    void content_that_differs_from_the_promised_checksum_is_deleted() {
        WeightsDownload.Request request = request("/ranges", "0".repeat(64));
        assertThatThrownBy(() -> WeightsDownload.fetch(request, (done, total) -> {}))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("it was deleted");
        assertThat(request.target()).doesNotExist();
        assertThat(request.part()).doesNotExist();
    }

    @Test
    void errors_of_the_server_have_their_own_messages() throws Exception {
        assertThatThrownBy(() -> WeightsDownload.fetch(request("/nowhere", sha256()), (done, total) -> {}))
                .hasMessageContaining("status 404");
        assertThatThrownBy(() -> WeightsDownload.fetch(request("/refuses", sha256()), (done, total) -> {}))
                .hasMessageContaining("status 416");
        WeightsDownload.Request wrong = request("/wrongrange", sha256());
        Files.write(wrong.part(), new byte[10]);
        assertThatThrownBy(() -> WeightsDownload.fetch(wrong, (done, total) -> {}))
                .hasMessageContaining("another part");
        WeightsDownload.Request small =
                new WeightsDownload.Request(address("/plain"), sha256(), folder.resolve("small"), 1000);
        assertThatThrownBy(() -> WeightsDownload.fetch(small, (done, total) -> {}))
                .hasMessageContaining("more than 1000");
        WeightsDownload.Request endless =
                new WeightsDownload.Request(address("/chunked"), sha256(), folder.resolve("endless"), 100_000);
        assertThatThrownBy(() -> WeightsDownload.fetch(endless, (done, total) -> {}))
                .hasMessageContaining("more than 100000");
        URI closed = address("/plain");
        server.stop(0);
        assertThatThrownBy(() -> WeightsDownload.fetch(
                        new WeightsDownload.Request(closed, sha256(), folder.resolve("x"), PLENTY),
                        (done, total) -> {}))
                .hasMessageContaining("cannot be reached");
    }

    @Test
    void an_address_or_checksum_that_is_none_is_refused() {
        assertThatThrownBy(() -> new WeightsDownload.Request(
                        URI.create("file:///etc/passwd"), "0".repeat(64), folder.resolve("x"), 1))
                .hasMessageContaining("http");
        assertThatThrownBy(() -> new WeightsDownload.Request(address("/plain"), "abc", folder.resolve("x"), 1))
                .hasMessageContaining("64 hexadecimal digits");
    }

    private WeightsDownload.Request request(String path, String sha256) {
        return new WeightsDownload.Request(address(path), sha256, folder.resolve("weights"), PLENTY);
    }

    private URI address(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private String sha256() {
        try {
            return SourceHash.of(Files.write(folder.resolve("original"), content));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpServer start() {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            made.createContext("/ranges", exchange -> {
                String range = String.valueOf(exchange.getRequestHeaders().getFirst("Range"));
                ranges.add(range.equals("null") ? "" : range);
                int from = range.equals("null") ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
                send(exchange, from, from > 0);
            });
            made.createContext("/plain", exchange -> send(exchange, 0, false));
            made.createContext("/wrongrange", exchange -> {
                exchange.getResponseHeaders().add("Content-Range", "bytes 0-9/300000");
                exchange.sendResponseHeaders(206, 10);
                exchange.getResponseBody().write(new byte[10]);
                exchange.close();
            });
            made.createContext("/redirect", exchange -> {
                exchange.getResponseHeaders().add("Location", "/plain");
                exchange.sendResponseHeaders(302, -1);
                exchange.close();
            });
            made.createContext("/chunked", exchange -> {
                exchange.sendResponseHeaders(200, 0);
                try (var body = exchange.getResponseBody()) {
                    body.write(content);
                }
            });
            made.createContext("/stalled", exchange -> {
                exchange.sendResponseHeaders(200, content.length);
                exchange.getResponseBody().write(content, 0, 100_000);
                exchange.getResponseBody().flush();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                exchange.close();
            });
            made.createContext("/refuses", exchange -> {
                exchange.sendResponseHeaders(416, -1);
                exchange.close();
            });
            made.createContext("/nowhere", exchange -> {
                exchange.sendResponseHeaders(404, -1);
                exchange.close();
            });
            made.start();
            return made;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(HttpExchange exchange, int from, boolean partial) throws IOException {
        if (from >= content.length) {
            exchange.sendResponseHeaders(416, -1);
            exchange.close();
            return;
        }
        int length = content.length - from;
        if (partial) {
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
        }
        exchange.sendResponseHeaders(partial ? 206 : 200, length);
        int sent = Math.min(length, breakAfter);
        exchange.getResponseBody().write(content, from, sent);
        exchange.getResponseBody().flush();
        // Closing early, when less was sent than promised, cuts the connection.
        exchange.close();
    }
}
