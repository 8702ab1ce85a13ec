package io.github.gramian.serve;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.serve.http.internal.GramianServer;
import java.io.PrintWriter;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for SIGTERM or Ctrl-C and then shuts the server down. The exit code is 0, since a requested shutdown is not a
 * failure. The JVM would exit with 143, and only a halt at the end of its shutdown changes that.
 */
final class GracefulShutdown {

    private final GramianServer server;
    private final LineFile log;
    private final PrintWriter err;

    GracefulShutdown(GramianServer server, LineFile log, PrintWriter err) {
        this.server = server;
        this.log = log;
        this.err = err;
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "gramian-serve-end"));
    }

    /** Never returns: the process ends in the hook. */
    void await() throws InterruptedException {
        Thread.currentThread().join();
    }

    /** Ends the process even if something that the server waits for hangs. */
    private void end() {
        FutureTask<Integer> ending = new FutureTask<>(() -> {
            server.drain();
            log.close();
            return 0;
        });
        Thread thread = new Thread(ending, "gramian-serve-drain");
        thread.setDaemon(true);
        thread.start();
        int code = 1;
        try {
            code = ending.get(server.longestEnd().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException failure) {
            err.println("gramian: the server has not ended after "
                    + server.longestEnd().toSeconds() + " s, since something that it waits for hangs; it stops now");
        } catch (InterruptedException | ExecutionException failure) {
            err.println("gramian: the server did not end cleanly: "
                    + Failure.of(failure).line());
        }
        err.flush();
        Runtime.getRuntime().halt(code);
    }
}
