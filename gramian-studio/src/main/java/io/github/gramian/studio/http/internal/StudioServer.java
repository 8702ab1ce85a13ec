package io.github.gramian.studio.http.internal;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.serve.http.internal.HttpResult;
import io.github.gramian.studio.project.internal.NotReadyException;
import io.github.gramian.studio.project.internal.Project;
import io.github.gramian.studio.project.internal.StudioSettings;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A project in the browser of this machine. */
public final class StudioServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.studio");

    /** The numbers of a million photographs. */
    private static final int MAX_BODY = 8 << 20;

    private static final int THREADS = 16;

    private final Project project;
    private final Server jetty;
    private final RequestGuard guard = RequestGuard.create();
    private final Addresses addresses;

    private StudioServer(Project project, int port) {
        this.project = project;
        this.addresses = new Addresses(project);
        this.jetty = new Server(new QueuedThreadPool(THREADS));
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        ServerConnector connector = new ServerConnector(jetty, 1, 1, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        jetty.addConnector(connector);
        jetty.setHandler(new PageHandler());
    }

    /**
     * Opens the project and listens.
     *
     * @param port 0 for any free one
     */
    public static StudioServer start(StudioSettings settings, int port) throws IOException {
        return start(Project.open(settings), port);
    }

    /** Listens; closes the project when it is closed. */
    static StudioServer start(Project project, int port) throws IOException {
        StudioServer server = new StudioServer(project, port);
        try {
            server.jetty.start();
            return server;
        } catch (Exception failure) {
            server.close();
            throw failure instanceof IOException io ? io : new IOException(failure.getMessage(), failure);
        }
    }

    private int port() {
        return ((ServerConnector) jetty.getConnectors()[0]).getLocalPort();
    }

    /** The address of the page, with the token. */
    public String address() {
        return "http://127.0.0.1:" + port() + "/" + guard.token() + "/";
    }

    private final class PageHandler extends Handler.Abstract {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            HttpResult result;
            try {
                Optional<String> path = guard.admit(request, port());
                result = path.isPresent()
                        ? answer(request, path.get())
                        : HttpResult.error(403, "open the address that gramian studio printed");
            } catch (NotReadyException | IllegalArgumentException wrong) {
                result = HttpResult.error(
                        wrong instanceof NotReadyException ? 409 : 400, String.valueOf(wrong.getMessage()));
            } catch (Throwable failure) {
                LOG.log(Level.ERROR, "a request failed", failure);
                result = HttpResult.error(500, Failure.of(failure).line());
            }
            write(result, response, callback);
            return true;
        }

        private HttpResult answer(Request request, String path) throws IOException {
            String method = request.getMethod();
            if (method.equals("GET")) {
                return addresses.get(path, Request.extractQueryParameters(request));
            }
            if (!method.equals("POST")) {
                return HttpResult.error(405, "this address takes GET and POST");
            }
            try (InputStream in = Content.Source.asInputStream(request)) {
                byte[] body = in.readNBytes(MAX_BODY + 1);
                return body.length > MAX_BODY
                        ? HttpResult.error(413, "the body may have at most " + MAX_BODY + " bytes")
                        : addresses.post(path, body);
            }
        }

        private void write(HttpResult result, Response response, Callback callback) {
            response.setStatus(result.status());
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, result.type());
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, result.body().length);
            response.getHeaders().put("X-Content-Type-Options", "nosniff");
            response.getHeaders().put("Referrer-Policy", "no-referrer");
            response.getHeaders().put("Cross-Origin-Resource-Policy", "same-origin");
            if (!result.headers().containsKey("Cache-Control")) {
                response.getHeaders().put("Cache-Control", "no-store");
            }
            result.headers().forEach((name, value) -> response.getHeaders().put(name, value));
            response.write(true, ByteBuffer.wrap(result.body()), callback);
        }
    }

    /** Answers no more requests, stops a training, and releases the labels file. */
    @Override
    public void close() throws IOException {
        try {
            jetty.stop();
        } catch (Exception failure) {
            LOG.log(Level.WARNING, "the studio did not shut down cleanly", failure);
        }
        project.close();
    }
}
