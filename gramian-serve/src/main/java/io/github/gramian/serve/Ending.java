package io.github.gramian.serve;

import io.github.gramian.serve.http.GramianServer;

/**
 * Waits for SIGTERM or Ctrl-C and then ends the server in order. The exit code is 0: to be asked to end is no failure. The
 * JVM would say 143, and only a halt at the end of its shutdown changes that.
 */
final class Ending {

    private final GramianServer server;
    private final LineFile log;

    Ending(GramianServer server, LineFile log) {
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
