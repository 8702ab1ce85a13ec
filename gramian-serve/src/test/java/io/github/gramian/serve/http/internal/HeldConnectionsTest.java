package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.http.internal.Tls.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that hold connections do not lock others out. The full form (.ci/attack connections) holds 1,000. */
@Timeout(180)
class HeldConnectionsTest {

    private static final int PLACES = 8;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static ServerSettings with(ServerSettings old, int connections, Duration receive) {
        HttpLimits limits = new HttpLimits(
                old.http().sizes(),
                connections,
                new HttpLimits.Times(receive, Duration.ofSeconds(60), Duration.ofSeconds(30)),
                old.http().pixelPasses());
        return TestServer.with(old, limits);
    }

    private static int port(TestServer server) {
        return server.address("/").getPort();
    }

    @Test
    void held_http2_connections_leave_capacity_for_others() throws Exception {
        List<RawHttp2> held = new ArrayList<>();
        try (TestServer server = TestServer.start(old -> with(old, PLACES, Duration.ofMinutes(5)))) {
            int attackers = FullForm.rounds(1000, 40);
            for (int i = 0; i < attackers; i++) {
                RawHttp2 client = RawHttp2.connect(port(server));
                held.add(client);
                if (i % 2 == 0) {
                    client.ping();
                } else {
                    client.startHeaders();
                }
            }
            for (int i = 0; i < 5; i++) {
                assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
                assertThat(server.post("/predict", SmallModels.image(i)).statusCode())
                        .isEqualTo(200);
            }
            assertThat(metrics(server)).contains("gramian_connections_closed_total{reason=\"full\"}");
        } finally {
            close(held);
        }
    }

    @Test
    void http2_frames_that_make_no_request_do_not_keep_a_connection_open() throws Exception {
        List<RawHttp2> held = new ArrayList<>();
        try (TestServer server = TestServer.start(old -> with(old, 64, Duration.ofSeconds(1)))) {
            RawHttp2 pings = RawHttp2.connect(port(server));
            RawHttp2 headers = RawHttp2.connect(port(server));
            held.addAll(List.of(pings, headers));
            headers.startHeaders();
            long start = System.nanoTime();
            while (!pings.isClosed() || !headers.isClosed()) {
                assertThat(System.nanoTime() - start)
                        .as("nanoseconds that a connection without a request lives")
                        .isLessThan(Duration.ofSeconds(30).toNanos());
                sent(pings::ping);
                sent(headers::continueHeaders);
                Thread.sleep(100);
            }
            assertThat(metrics(server)).contains("gramian_connections_closed_total{reason=\"slow\"}");
        } finally {
            close(held);
        }
    }

    @Tag("slow")
    @Test
    void an_unfinished_tls_handshake_does_not_keep_a_connection_open() throws Exception {
        PemFiles files = PemFiles.make(folder, "held", "EC");
        try (TestServer server = TestServer.start(old -> {
                    ServerSettings quick = with(old, 64, Duration.ofSeconds(1));
                    return TestServer.with(
                            quick,
                            new ServerSettings.Access(
                                    Optional.empty(), Optional.of(new TlsFiles(files.certificates(), files.key()))));
                });
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server))) {
            // A TLS record of a ClientHello with 16,000 bytes, one byte at a time.
            socket.getOutputStream().write(new byte[] {22, 3, 1, 0x3e, (byte) 0x80, 1});
            long start = System.nanoTime();
            boolean open = true;
            while (open) {
                assertThat(System.nanoTime() - start)
                        .isLessThan(Duration.ofSeconds(30).toNanos());
                open = sent(() -> socket.getOutputStream().write(0));
                Thread.sleep(100);
            }
        }
    }

    @Test
    void a_request_in_progress_is_never_cut_off() throws Exception {
        byte[] image = SmallModels.image(0);
        List<RawHttp2> held = new ArrayList<>();
        try (TestServer server = TestServer.start(old -> with(old, PLACES, Duration.ofMinutes(5)));
                Socket upload = startUpload(server, image.length)) {
            for (int i = 0; i < 5 * PLACES; i++) {
                held.add(RawHttp2.connect(port(server)));
            }
            assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
            upload.getOutputStream().write(image);
            assertThat(new String(upload.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 200");
        } finally {
            close(held);
        }
    }

    @Test
    void a_new_connection_among_busy_ones_has_a_moment_to_send_its_request() throws Exception {
        try (TestServer server = TestServer.start(old -> with(old, PLACES, Duration.ofMinutes(5)));
                Sockets sockets = new Sockets()) {
            for (int i = 0; i < PLACES - 1; i++) {
                sockets.all.add(startUpload(server, 1000));
            }
            try (Socket honest = new Socket(InetAddress.getLoopbackAddress(), port(server))) {
                for (int i = 0; i < PLACES; i++) {
                    sockets.all.add(new Socket(InetAddress.getLoopbackAddress(), port(server)));
                }
                honest.getOutputStream().write(utf8("GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
                assertThat(new String(honest.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 200");
            }
        }
    }

    @Test
    void requests_whose_bodies_do_not_arrive_release_capacity_for_others() throws Exception {
        try (TestServer server = TestServer.start(old -> with(old, PLACES, Duration.ofMinutes(5)));
                Sockets uploads = new Sockets()) {
            for (int i = 0; i < PLACES; i++) {
                uploads.all.add(startUpload(server, 1000));
            }
            long start = System.nanoTime();
            while (server.post("/predict", SmallModels.image(0)).statusCode() != 200) {
                assertThat(System.nanoTime() - start)
                        .isLessThan(Duration.ofSeconds(60).toNanos());
                Thread.sleep(20);
            }
        }
    }

    @Test
    void health_is_answered_while_every_connection_has_a_request_in_progress() throws Exception {
        try (TestServer server = TestServer.start(old -> with(old, PLACES, Duration.ofMinutes(5)));
                Sockets uploads = new Sockets()) {
            for (int i = 0; i < PLACES; i++) {
                uploads.all.add(startUpload(server, 1 << 20));
            }
            for (int i = 0; i < 8; i++) {
                for (Socket upload : uploads.all) {
                    upload.getOutputStream().write(new byte[1 << 16]); // so that none of them is stalled
                }
                assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
            }
            HttpResponse<byte[]> refused = server.post("/predict", SmallModels.image(0));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(TestServer.json(refused).path("error").asText()).contains("all connections", "try again");
            uploads.close();
            while (server.post("/predict", SmallModels.image(0)).statusCode() != 200) {
                Thread.sleep(20);
            }
        }
    }

    /** A request whose headers have arrived, which the server confirms, and whose body has not. */
    private static Socket startUpload(TestServer server, int length) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server));
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write(utf8("POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: "
                        + length + "\r\n\r\n"));
        String confirmed = new String(socket.getInputStream().readNBytes(25), StandardCharsets.US_ASCII);
        assertThat(confirmed).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
        return socket;
    }

    /** Connections that a test closes before its server, which would otherwise wait for their requests. */
    private static final class Sockets implements AutoCloseable {
        final List<Socket> all = new ArrayList<>();

        @Override
        public void close() throws IOException {
            for (Socket socket : all) {
                socket.close();
            }
        }
    }

    private static String metrics(TestServer server) throws Exception {
        return new String(server.get("/metrics").body(), StandardCharsets.UTF_8);
    }

    /** Something that writes to a connection. */
    private interface Write {
        void run() throws IOException;
    }

    /** Whether the other side still takes bytes. */
    private static boolean sent(Write write) {
        try {
            write.run();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void close(List<RawHttp2> clients) throws IOException {
        for (RawHttp2 client : clients) {
            client.close();
        }
    }
}
