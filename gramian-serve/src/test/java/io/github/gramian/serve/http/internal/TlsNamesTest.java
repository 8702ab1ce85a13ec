package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.serve.SmallModels;
import io.github.gramian.serve.tls.internal.TlsFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests over TLS whose names differ from those of the certificate. */
@Timeout(120)
class TlsNamesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void the_server_answers_for_hosts_that_its_certificate_does_not_name() throws Exception {
        PemFiles files = PemFiles.make(folder, "names", "EC", "dns:localhost,dns:gramian.example.com");
        try (TestServer server = TestServer.start(old -> new ServerSettings(
                old.models(),
                old.address(),
                old.batch(),
                old.http(),
                old.images(),
                new ServerSettings.Access(
                        Optional.empty(), Optional.of(new TlsFiles(files.certificates(), files.key()))),
                old.features()))) {
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
