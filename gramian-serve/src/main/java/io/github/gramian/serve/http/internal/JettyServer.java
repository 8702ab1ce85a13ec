package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.tls.internal.Tls;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty with our limits: HTTP/1.1, and HTTP/2 where it is not encrypted. */
final class JettyServer {

    private static final int STREAMS = 64;

    /** Answers in flight get this much beyond their deadline when the server ends. */
    private static final Duration BEYOND_DEADLINE = Duration.ofSeconds(10);

    /** For each of the last steps: writing answers, closing connections, freeing models. */
    private static final Duration LAST_STEP = Duration.ofSeconds(2);

    /** For requests that are on their way when the door is closed. */
    private static final long LAST_MILLIS = 1000;

    private JettyServer() {}

    static Server of(ServerSettings settings, Optional<Tls> tls, ConnectionLimits connections) {
        int cores = Runtime.getRuntime().availableProcessors();
        QueuedThreadPool threads = new QueuedThreadPool(16 + 2 * cores);
        threads.setName("http");
        Executor virtual = VirtualThreads.getDefaultVirtualThreadsExecutor();
        if (virtual != null) {
            threads.setVirtualThreadsExecutor(virtual);
        }
        Server server = new Server(threads);
        HttpLimits limits = settings.http();
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(limits.sizes().headerBytes());
        configuration.setIdleTimeout(limits.times().idle().toMillis());
        if (tls.isPresent()) {
            // If it is missing, Jetty adds one that refuses every Host that the certificate does not name. Probes ask
            // for an IP address, and whether the name is right is the client's decision.
            configuration.addCustomizer(new SecureRequestCustomizer(false));
        }
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        // One acceptor and one selector are enough for requests that take the network milliseconds each.
        ServerConnector connector = tls.isPresent()
                ? new ServerConnector(
                        server, 1, 1, new SslConnectionFactory(tls.get().factory(), http.getProtocol()), http)
                : new ServerConnector(server, 1, 1, http, http2(configuration, limits));
        connector.setHost(settings.address().host());
        connector.setPort(settings.address().port());
        connector.setIdleTimeout(limits.times().idle().toMillis());
        connector.addBean(connections);
        server.addConnector(connector);
        server.setStopTimeout(lastAnswer(limits).plus(LAST_STEP).toMillis());
        return server;
    }

    /** Time after which requests in progress are no longer waited for when the server ends. */
    static Duration lastAnswer(HttpLimits limits) {
        return limits.times().deadline().plus(BEYOND_DEADLINE);
    }

    /** Time from the end of the drain period to the end of the server. */
    static Duration longestStop(HttpLimits limits) {
        return lastAnswer(limits).plus(LAST_STEP.multipliedBy(3));
    }

    private static ConnectionFactory http2(HttpConfiguration configuration, HttpLimits limits) {
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
        http2.setMaxConcurrentStreams(STREAMS);
        http2.setStreamIdleTimeout(limits.times().idle().toMillis());
        return http2;
    }

    private static ServerConnector connector(Server server) {
        return (ServerConnector) server.getConnectors()[0];
    }

    static int port(Server server) {
        return connector(server).getLocalPort();
    }

    /**
     * Lets no new connection in, and gives those that are open a moment for the requests that are on their way: each is
     * answered and its connection closed. Jetty's own stop would refuse them.
     */
    static void closeDoor(Server server) throws InterruptedException {
        ServerConnector connector = connector(server);
        connector.close();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_MILLIS);
        while (!connector.getConnectedEndPoints().isEmpty() && System.nanoTime() < end) {
            Thread.sleep(5);
        }
    }
}
