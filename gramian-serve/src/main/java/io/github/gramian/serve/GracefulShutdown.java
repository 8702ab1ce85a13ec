package io.github.gramian.serve;

import io.github.gramian.serve.http.internal.GramianServer;

/**
 * Waits for SIGTERM or Ctrl-C and then shuts the server down. The exit code is 0, since a requested shutdown is not a
 * failure. The JVM would exit with 143, and only a halt at the end of its shutdown changes that.
 */
final class GracefulShutdown {

    private final GramianServer server;
    private final LineFile log;

    GracefulShutdown(GramianServer server, LineFile log) {
        this.server = server;
        this.log = log;
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "gramian-serve-end"));
    }

    /** Never returns: the process ends in the hook. */
    void await() throws InterruptedException {
        Thread.currentThread().join();
    }

    private void end() {
        int code = 0;
        try {
            server.drain();
            log.close();
        } catch (InterruptedException | RuntimeException failure) {
            code = 1;
        }
        Runtime.getRuntime().halt(code);
    }
}
