package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.serve.client.GramianClient;
import io.github.gramian.serve.http.internal.Tls.TlsFiles;
import io.github.gramian.serve.inference.internal.ModelSpec;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Keys and TLS, as they are and when their files change. */
@Timeout(120)
class AccessTest {

    private static final String KEY = "anna-0123456789abcdef";
    private static final String NEXT = "otto-0123456789abcdef";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static ServerSettings with(ServerSettings old, Optional<Path> keys, Optional<TlsFiles> tls) {
        return TestServer.with(old, new ServerSettings.Access(keys, tls));
    }

    @Test
    void only_those_with_a_key_may_use_the_models() throws Exception {
        Path keys = Files.writeString(folder.resolve("keys"), "# clients\n\nanna:" + KEY + "\n");
        try (TestServer server = TestServer.start(old -> with(old, Optional.of(keys), Optional.empty()))) {
            byte[] image = SmallModels.image(0);
            HttpResponse<byte[]> without = server.post("/predict", image);
            assertThat(without.statusCode()).isEqualTo(401);
            assertThat(without.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            assertThat(TestServer.json(without).path("error").asText()).contains("Authorization: Bearer");
            for (String wrong : List.of("", KEY + "x", KEY.substring(1), "anna")) {
                assertThat(server.post("/predict", image, "X-API-Key", wrong + "")
                                .statusCode())
                        .isEqualTo(401);
            }
            assertThat(server.post("/predict", image, "X-API-Key", KEY).statusCode())
                    .isEqualTo(200);
            assertThat(server.post("/predict", image, "authorization", "bearer " + KEY)
                            .statusCode())
                    .isEqualTo(200);
            for (String closed : List.of("/v2", "/v2/models/textures", "/metrics", "/page/status")) {
                assertThat(server.get(closed).statusCode()).as(closed).isEqualTo(401);
            }
            for (String open : List.of("/v2/health/live", "/v2/health/ready", "/", "/page/page.js", "/openapi.json")) {
                assertThat(server.get(open).statusCode()).as(open).isEqualTo(200);
            }
            assertThat(server.log).noneMatch(line -> line.contains("0123456789"));
            while (server.log.stream().noneMatch(line -> line.contains("\"key\":\"anna\""))) {
                Thread.sleep(5);
            }

            GramianClient client = GramianClient.of(URI.create(server.server.address()), "textures")
                    .withKey(KEY);
            assertThat(client.isReady()).isTrue();
            List<GramianClient.Candidate> best = client.classify(image, 3);
            float[] probabilities = client.probabilities(image);
            assertThat(best).hasSize(3);
            assertThat(probabilities[best.get(0).index()])
                    .isEqualTo(best.get(0).probability())
                    .isGreaterThanOrEqualTo(best.get(1).probability());
            assertThat(client.describe(image)).hasSize(10);
            assertThatThrownBy(() -> client.withKey("wrong").describe(image))
                    .isInstanceOfSatisfying(
                            GramianClient.ServerException.class,
                            refused -> assertThat(refused.status()).isEqualTo(401));
            assertThatThrownBy(() -> client.describe(new byte[] {1, 2}))
                    .hasMessageStartingWith("415")
                    .hasMessageContaining("not a JPEG");

            Files.writeString(keys, "broken");
            server.awaitUpkeep();
            assertThat(server.post("/predict", image, "X-API-Key", KEY).statusCode())
                    .isEqualTo(200);
            Files.writeString(keys, "otto:" + NEXT + "\n");
            while (server.post("/predict", image, "X-API-Key", KEY).statusCode() != 401) {
                Thread.sleep(200);
            }
            assertThat(server.post("/predict", image, "X-API-Key", NEXT).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_pipe_in_place_of_a_model_leaves_no_revoked_key_valid_and_does_not_delay_the_end() throws Exception {
        Path keys = Files.writeString(folder.resolve("keys"), "anna:" + KEY + "\n");
        Path model = Files.copy(SmallModels.first(), folder.resolve("model.gramian"));
        TestServer server = TestServer.start(old -> watching(with(old, Optional.of(keys), Optional.empty()), model));
        try (server) {
            Files.delete(model);
            assertThat(new ProcessBuilder("mkfifo", model.toString()).start().waitFor())
                    .isZero();
            server.awaitUpkeep();
            server.awaitUpkeep();
            Files.writeString(keys, "otto:" + NEXT + "\n");
            server.awaitUpkeep();
            assertThat(server.get("/v2", "X-API-Key", KEY).statusCode()).isEqualTo(401);
            assertThat(server.post("/predict", SmallModels.image(0), "X-API-Key", NEXT)
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static ServerSettings watching(ServerSettings old, Path model) {
        return TestServer.with(
                old,
                List.of(new ModelSpec("textures", "1", model)),
                new ServerSettings.Features(true, true, false, old.features().drain()));
    }

    @Test
    void a_file_of_keys_that_is_not_a_regular_file_is_refused() throws Exception {
        assertThatThrownBy(() -> ApiKeys.of(folder)).hasMessageContaining("is not a regular file but a directory");
        Path large = Files.write(folder.resolve("large"), new byte[(8 << 20) + 1]);
        assertThatThrownBy(() -> ApiKeys.of(large)).hasMessageContaining("has 8388609 bytes, but at most 8388608");
    }

    @Test
    void key_files_that_guard_nothing_are_refused() throws Exception {
        for (String text :
                List.of("", "# none\n", "anna:short\n", "just-a-key-0123456789\n", "a b:0123456789abcdef\n")) {
            Path file = Files.writeString(folder.resolve("bad"), text);
            assertThatThrownBy(() -> ApiKeys.of(file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name:key");
        }
        Path latin = Files.write(folder.resolve("latin"), "# für Anna\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> ApiKeys.of(latin)).hasMessageContaining("latin is not UTF-8 text");
    }

    @Test
    void a_new_certificate_is_used_when_its_files_change() throws Exception {
        PemFiles first = PemFiles.make(folder, "first", "RSA");
        PemFiles second = PemFiles.make(folder, "second", "EC");
        TlsFiles used = new TlsFiles(
                Files.copy(first.certificates(), folder.resolve("chain.pem")),
                Files.copy(first.key(), folder.resolve("key.pem")));
        assertThatThrownBy(() -> new TlsFiles(first.certificates(), second.key()).keyStore())
                .hasMessageContaining("does not belong");
        assertThatThrownBy(() -> new TlsFiles(first.certificates(), first.certificates()).keyStore())
                .hasMessageContaining("openssl pkcs8");
        Path damaged = Files.writeString(
                folder.resolve("damaged.key"), "-----BEGIN PRIVATE KEY-----\nAB=C\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(() -> new TlsFiles(first.certificates(), damaged).keyStore())
                .hasMessageContaining("damaged.key is damaged");
        try (TestServer server = TestServer.start(old -> with(old, Optional.empty(), Optional.of(used)))) {
            URI address = server.address("/v2/health/ready");
            assertThat(address.getScheme()).isEqualTo("https");
            assertThat(status(first, address)).isEqualTo(200);
            assertThatThrownBy(() -> status(second, address)).isInstanceOf(SSLHandshakeException.class);
            Files.copy(second.certificates(), used.certificates(), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(second.key(), used.key(), StandardCopyOption.REPLACE_EXISTING);
            for (int attempt = 0; ; attempt++) {
                try {
                    assertThat(status(second, address)).isEqualTo(200);
                    break;
                } catch (SSLHandshakeException e) {
                    assertThat(attempt).isLessThan(200);
                    Thread.sleep(50);
                }
            }
        }
    }

    private static int status(PemFiles trusted, URI address) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted.trusted());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder()
                .sslContext(context)
                .build()
                .send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void a_deleted_key_file_is_reported_with_the_reason() throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "anna:0123456789abcdef\n");
        ApiKeys keys = ApiKeys.of(file);
        Files.delete(file);
        Throwable failure = catchThrowable(keys::refresh);
        assertThat(Failure.of(failure).line()).startsWith(file + " does not exist");
    }

    @Test
    void the_server_answers_for_hosts_that_its_certificate_does_not_name() throws Exception {
        PemFiles files = PemFiles.make(folder, "names", "EC", "dns:localhost,dns:gramian.example.com");
        try (TestServer server = TestServer.start(old -> TestServer.with(
                old,
                new ServerSettings.Access(
                        Optional.empty(), Optional.of(new TlsFiles(files.certificates(), files.key())))))) {
            int port = server.address("/").getPort();
            for (String host : List.of("127.0.0.1", "localhost", "10.1.2.3", "other.example.org")) {
                assertThat(status(files, port, host, "GET /v2/health/ready", new byte[0]))
                        .as(host)
                        .isEqualTo("HTTP/1.1 200");
            }
            assertThat(status(files, port, "127.0.0.1", "POST /predict", SmallModels.image(0)))
                    .isEqualTo("HTTP/1.1 200");
        }
    }

    /** Sends a request whose Host and, unless it is an address, whose server name of the handshake is {@code host}. */
    private static String status(PemFiles trusted, int port, String host, String request, byte[] body)
            throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted.trusted());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            SSLParameters parameters = socket.getSSLParameters();
            List<SNIServerName> names = host.matches("[0-9.]+") ? List.of() : List.of(new SNIHostName(host));
            parameters.setServerNames(names);
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(30_000);
            String head = request + " HTTP/1.1\r\nHost: " + host + ":" + port
                    + "\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).substring(0, 12);
        }
    }
}
