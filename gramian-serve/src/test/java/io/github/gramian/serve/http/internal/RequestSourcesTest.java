package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallModels;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that pages of other sites make in a user's browser. */
@Timeout(120)
class RequestSourcesTest {

    private static final String LOAD = "POST /v2/repository/models/textures/load";

    private static ServerSettings with(ServerSettings old, List<String> hosts, List<String> origins) {
        return TestServer.with(
                old,
                new ServerSettings.Access(Optional.empty(), Optional.empty(), hosts, origins),
                new ServerSettings.Features(true, false, true, old.features().drain()));
    }

    private static String answer(TestServer server, String request, byte[] body, String... headers) throws Exception {
        int port = server.address("/").getPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            String lines = String.join("\r\n", headers).replace("PORT", Integer.toString(port));
            socket.getOutputStream()
                    .write(joined(
                            utf8(request + " HTTP/1.1\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n"
                                    + lines + "\r\n\r\n"),
                            body));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String status(TestServer server, String request, byte[] body, String... headers) throws Exception {
        return answer(server, request, body, headers).substring(9, 12);
    }

    @Test
    void requests_of_other_sites_pages_are_refused() throws Exception {
        byte[] none = new byte[0];
        byte[] image = SmallModels.image(0);
        String host = "Host: 127.0.0.1:PORT";
        try (TestServer server = TestServer.start(old -> with(old, List.of(), List.of("https://app.example.com")))) {
            for (String foreign : List.of(
                    "Origin: https://evil.example",
                    "Origin: null",
                    "Origin: http://127.0.0.1:1",
                    "Sec-Fetch-Site: cross-site",
                    "Sec-Fetch-Site: same-site")) {
                assertThat(status(server, LOAD, none, host, foreign))
                        .as(foreign)
                        .isEqualTo("403");
                assertThat(status(server, "POST /predict", image, host, foreign))
                        .as(foreign)
                        .isEqualTo("403");
            }
            assertThat(answer(server, LOAD, none, host, "Origin: https://evil.example"))
                    .contains("\"error\":\"a page of another site sent this request", "--allow-origin");
            // The server's own page, an allowed page, and programs other than browsers.
            assertThat(status(server, "POST /page/reading", image, host, "Origin: http://127.0.0.1:PORT"))
                    .isEqualTo("200");
            assertThat(status(server, "POST /predict", image, host, "Origin: https://x", "Sec-Fetch-Site: same-origin"))
                    .isEqualTo("200");
            assertThat(status(
                            server,
                            "POST /predict",
                            image,
                            host,
                            "Origin: https://app.example.com",
                            "Sec-Fetch-Site: cross-site"))
                    .isEqualTo("200");
            assertThat(status(server, LOAD, none, host)).isEqualTo("200");
            // A link from another site to the page.
            assertThat(status(server, "GET /", none, host, "Sec-Fetch-Site: cross-site"))
                    .isEqualTo("200");
        }
    }

    @Test
    void a_name_that_was_rebound_to_this_machine_is_refused() throws Exception {
        byte[] none = new byte[0];
        try (TestServer server = TestServer.start(old -> with(old, List.of("Gramian.example.com"), List.of()))) {
            for (String path : List.of(LOAD, "GET /", "GET /v2", "GET /metrics")) {
                assertThat(status(server, path, none, "Host: evil.example:PORT", "Origin: http://evil.example:PORT"))
                        .as(path)
                        .isEqualTo("421");
            }
            assertThat(answer(server, "GET /v2", none, "Host: evil.example"))
                    .contains("does not answer for the host name", "--allow-host")
                    .doesNotContain("evil");
            for (String known : List.of(
                    "localhost:PORT",
                    "LOCALHOST.",
                    "demo.localhost",
                    "127.0.0.1",
                    "127.0.0.2:80",
                    "[::1]:PORT",
                    "gramian.example.com")) {
                assertThat(status(server, "GET /v2", none, "Host: " + known))
                        .as(known)
                        .isEqualTo("200");
            }
            assertThat(status(server, "GET /v2/health/ready", none, "Host: evil.example"))
                    .isEqualTo("200");
        }
    }

    @Test
    void on_other_addresses_every_name_is_answered_unless_names_are_listed() throws Exception {
        ServerSettings.Address everywhere = new ServerSettings.Address("0.0.0.0", 0);
        for (List<String> hosts : List.of(List.<String>of(), List.of("gramian.example.com"))) {
            try (TestServer server = TestServer.start(old -> {
                ServerSettings listed = with(old, hosts, List.of());
                return TestServer.with(listed, everywhere);
            })) {
                assertThat(status(server, "GET /v2", new byte[0], "Host: other.example"))
                        .isEqualTo(hosts.isEmpty() ? "200" : "421");
            }
        }
    }

    @Test
    void hosts_and_origins_that_cannot_match_are_refused() {
        for (String wrong : List.of("", "https://a.example", "a.example:80", "a b")) {
            assertThatThrownBy(() ->
                            new ServerSettings.Access(Optional.empty(), Optional.empty(), List.of(wrong), List.of()))
                    .hasMessageContaining("an entry of hosts is a host name without scheme and port");
        }
        for (String wrong : List.of("", "a.example", "https://a.example/", "ftp://a.example", "null", "*")) {
            assertThatThrownBy(() ->
                            new ServerSettings.Access(Optional.empty(), Optional.empty(), List.of(), List.of(wrong)))
                    .hasMessageContaining("an entry of origins is scheme and host");
        }
    }
}
