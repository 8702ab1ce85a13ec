package io.github.gramian.studio.http.internal;

import io.github.gramian.studio.project.internal.Project;
import io.github.gramian.studio.project.internal.StudioSettings;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A project in the browser of this machine. */
public final class StudioServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.studio");

    private static final int THREADS = 16;

    private final Project project;
    private final Server jetty;
    private final PageHandler handler;

    private StudioServer(Project project, int port) {
        this.project = project;
        this.handler = new PageHandler(project, this::port);
        this.jetty = new Server(new QueuedThreadPool(THREADS));
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        ServerConnector connector = new ServerConnector(jetty, 1, 1, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        jetty.addConnector(connector);
        jetty.setHandler(handler);
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
        return "http://127.0.0.1:" + port() + "/" + handler.token() + "/";
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
