package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.binaryHeader;
import static io.github.gramian.serve.protocol.internal.Requests.element;
import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.InferRequest;
import io.github.gramian.serve.protocol.internal.InferRequest.InferLimits;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Broken and hostile requests: through the protocol's functions by the thousand, over real connections by the hundred. */
@Timeout(1800)
class HostileRequestsTest {

    /** The list in docs/http.md. */
    private static final Set<Integer> DOCUMENTED = new TreeSet<>(
            List.of(200, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 421, 426, 429, 431, 501, 503, 504, 505));

    private static final ReferenceOutputs OUTPUTS = new ReferenceOutputs(SmallModels.certainty(), false, true);
    private static final InferLimits LIMITS = new InferLimits(8, new ImageLimits(1 << 20, 4096, 4096, 1 << 20));

    private static byte[] json(byte[] image) {
        return utf8("{\"id\":\"x\",\"parameters\":{\"timeout\":1000000},\"inputs\":[{\"name\":\"image\",\"shape\":[1],"
                + "\"datatype\":\"BYTES\",\"data\":[\"" + Base64.getEncoder().encodeToString(image)
                + "\"]}],\"outputs\":[{\"name\":\"probabilities\",\"parameters\":{\"classification\":2}}]}");
    }

    /** Bytes changed, cut, repeated, or exchanged for others that mean something. */
    private static byte[] damaged(byte[] good, SplittableRandom random) {
        byte[] bytes = good.clone();
        for (int change = random.nextInt(0, 8); change > 0 && bytes.length > 0; change--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(7)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> bytes = Arrays.copyOf(bytes, at);
                case 3 -> bytes = joined(Arrays.copyOf(bytes, at), bytes);
                case 4 -> bytes[at] = (byte) "{}[]\",:0-9.eEtrufalsn\\".charAt(random.nextInt(22));
                case 5 ->
                    bytes = joined(
                            Arrays.copyOf(bytes, at),
                            utf8(List.of(
                                            "-1",
                                            "1e999",
                                            "9223372036854775808",
                                            "null",
                                            "[[[[",
                                            "{\"a\":",
                                            "\\u0000",
                                            "\r\n--b")
                                    .get(random.nextInt(8))),
                            Arrays.copyOfRange(bytes, at, bytes.length));
                default -> bytes = Arrays.copyOfRange(bytes, at, bytes.length);
            }
        }
        return bytes;
    }

    @Test
    void the_protocols_functions_refuse_whatever_they_cannot_read() {
        byte[] image = SmallModels.image(0);
        byte[] tensor = element(image);
        byte[] header = binaryHeader(1, tensor.length, "");
        byte[] pixels = utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[2,2,2,3],\"datatype\":\"UINT8\",\"data\":"
                + "[1,2,3,4,5,6,7,8,9,10,11,12,1,2,3,4,5,6,7,8,9,10,11,12]}]}");
        byte[] form =
                joined(utf8("--b\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n"), image, utf8("\r\n--b--"));
        int refused = 0;
        int rounds = FullForm.rounds(20_000, 4000);
        for (int i = 0; i < rounds; i++) {
            SplittableRandom random = new SplittableRandom(i);
            try {
                switch (i % 4) {
                    case 0 -> InferRequest.read(damaged(json(image), random), OptionalInt.empty(), LIMITS, OUTPUTS);
                    case 1 ->
                        InferRequest.read(
                                damaged(joined(header, tensor), random),
                                OptionalInt.of(random.nextInt(4) == 0 ? random.nextInt() : header.length),
                                LIMITS,
                                OUTPUTS);
                    case 2 -> InferRequest.read(damaged(pixels, random), OptionalInt.empty(), LIMITS, OUTPUTS);
                    default -> FormImage.in(damaged(form, random), "multipart/form-data; boundary=b");
                }
            } catch (RequestException expected) {
                assertThat(expected.status()).isIn(400, 413);
                assertThat(expected.getMessage()).isNotBlank().hasSizeLessThan(1000);
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("round " + i, e);
            }
        }
        assertThat(refused).isBetween(rounds / 3, rounds - 1);
    }

    @Test
    void over_connections_nothing_fails_that_is_not_documented_and_nothing_leaks() throws Exception {
        byte[] image = SmallModels.image(0);
        try (TestServer server = TestServer.start()) {
            assertThat(raw(server, post("/predict", image, ""))).isEqualTo(200);
            Set<Integer> seen = new TreeSet<>();
            int rounds = FullForm.rounds(20_000, 400);
            for (int i = 0; i < rounds; i++) {
                SplittableRandom random = new SplittableRandom(i);
                byte[] request = request(image, i % 6, random);
                int status = raw(server, request);
                assertThat(status == 0 || DOCUMENTED.contains(status))
                        .as("round %d: %d", i, status)
                        .isTrue();
                seen.add(status);
            }
            assertThat(seen).contains(200, 400, 404, 415);
            assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
            assertThat(server.post("/predict", image).statusCode()).isEqualTo(200);
            for (int i = 0; server.server.bodyBytes() > 0 && i < 200; i++) {
                Thread.sleep(50);
            }
            assertThat(server.server.bodyBytes()).isZero();
            assertThat(server.server.models().all())
                    .allMatch(model -> model.batcher().waiting() == 0);
        }
    }

    private static byte[] request(byte[] image, int kind, SplittableRandom random) {
        byte[] tensor = element(image);
        byte[] header = binaryHeader(1, tensor.length, "");
        return switch (kind) {
            case 0 -> post("/predict", damaged(image, random), "");
            case 1 -> post("/v2/models/textures/infer", damaged(json(image), random), "");
            case 2 ->
                post(
                        "/v2/models/textures/infer",
                        damaged(joined(header, tensor), random),
                        "Inference-Header-Content-Length: " + header.length + "\r\n");
            case 3 -> damaged(post("/predict", image, ""), random);
            case 4 ->
                post("/describe?model=" + random.nextInt(), image, "X: " + "y".repeat(random.nextInt(6000)) + "\r\n");
            default ->
                damaged(
                        utf8(String.join(
                                "\r\n",
                                "GET /v2/models/textures/versions/1 HTTP/1.1",
                                "Host: localhost",
                                "Connection: close",
                                "",
                                "")),
                        random);
        };
    }

    private static byte[] post(String path, byte[] body, String headers) {
        return joined(
                utf8("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                        + body.length + "\r\n" + headers + "\r\n"),
                body);
    }

    /** The status of an answer to some bytes; 0 if the connection was ended without one. */
    private static int raw(TestServer server, byte[] request) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address("/").getPort())) {
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            out.write(request);
            out.flush();
            socket.shutdownOutput();
            String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
            return line.startsWith("HTTP/1.") && line.length() == 12 ? Integer.parseInt(line.substring(9)) : 0;
        } catch (java.net.SocketException e) {
            return 0;
        }
    }

    @Test
    void what_http_itself_forbids_is_answered_with_a_json_error() throws Exception {
        try (TestServer server = TestServer.start()) {
            Map<String, String> expected = Map.of(
                    "GET /v2 HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(10_000) + "\r\n\r\n",
                    "the headers are too long",
                    "GET /v2 HTTP/1.1\r\n\r\n",
                    "exactly one valid Host header",
                    "GET /v2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
                    "Content-Length must be one whole number",
                    "GET /v2 HTTP/1.1\r\nHost: localhost\r\nsecret\u0001: a\r\n\r\n",
                    "header breaks the rules of HTTP",
                    "GET /v2/%zzsecret HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "the address has characters",
                    "POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, secret\r\n\r\n",
                    "Transfer-Encoding must be 'chunked'",
                    "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nsecret",
                    "the connection ended before the request was complete");
            for (String request : expected.keySet()) {
                try (Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.address("/").getPort())) {
                    socket.setSoTimeout(30_000);
                    socket.getOutputStream().write(utf8(request));
                    socket.shutdownOutput();
                    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                    assertThat(answer).matches("(?s)HTTP/1.1 4(00|31) .*\\{\"error\":\"[^\"]+\"\\}");
                    assertThat(answer).contains(expected.get(request)).doesNotContain("secret");
                }
            }
        }
    }

    @Test
    void slow_senders_are_ended_while_others_are_answered() throws Exception {
        HttpLimits quick = TestServer.limits(Duration.ofSeconds(1), Duration.ofSeconds(30));
        try (TestServer server = TestServer.start(old -> TestServer.with(old, quick));
                Socket headers = new Socket(
                        InetAddress.getLoopbackAddress(), server.address("/").getPort());
                Socket body = new Socket(
                        InetAddress.getLoopbackAddress(), server.address("/").getPort())) {
            body.getOutputStream()
                    .write(utf8("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"));
            String slowHeader = "GET /v2 HTTP/1.1\r\nHost: " + "a".repeat(4000);
            boolean headersEnded = false;
            boolean bodyEnded = false;
            long start = System.nanoTime();
            for (int i = 0; !(headersEnded && bodyEnded); i++) {
                headersEnded = headersEnded || !drip(headers, slowHeader.charAt(i));
                bodyEnded = bodyEnded || !drip(body, 'x');
                assertThat(System.nanoTime() - start)
                        .isLessThan(Duration.ofSeconds(30).toNanos());
                if (i % 5 == 0) {
                    assertThat(server.post("/predict", SmallModels.image(0)).statusCode())
                            .isEqualTo(200);
                }
                Thread.sleep(100);
            }
            assertThat(new String(server.get("/metrics").body(), StandardCharsets.UTF_8))
                    .contains("gramian_rejected_total{reason=\"slow\"}");
        }
    }

    /** Sends a byte; whether the other side still listens. */
    private static boolean drip(Socket socket, char letter) {
        try {
            if (socket.getInputStream().available() > 0) {
                return false;
            }
            socket.getOutputStream().write(letter);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
