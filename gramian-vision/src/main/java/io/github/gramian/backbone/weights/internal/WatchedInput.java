package io.github.gramian.backbone.weights.internal;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The body of an HTTP response that is given up when nothing arrives for a while: the JDK's client limits the time until
 * the headers only. Closing the body from another thread ends a read that waits.
 */
final class WatchedInput extends FilterInputStream {

    private final Duration patience;
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> {
        Thread thread = new Thread(work, "gramian-download");
        thread.setDaemon(true);
        return thread;
    });
    private volatile boolean stalled;

    WatchedInput(InputStream body, Duration patience) {
        super(body);
        this.patience = patience;
        // Otherwise every read would leave its alarm in the queue until it is due, many thousands of a fast transfer.
        clock.setRemoveOnCancelPolicy(true);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        int count = read(one, 0, 1);
        return count < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        ScheduledFuture<?> end = clock.schedule(this::giveUp, patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return in.read(buffer, offset, length);
        } catch (IOException failure) {
            if (stalled) {
                HttpTimeoutException late =
                        new HttpTimeoutException("nothing arrived for " + patience.toSeconds() + " s");
                late.initCause(failure);
                throw late;
            }
            throw failure;
        } finally {
            end.cancel(false);
        }
    }

    private void giveUp() {
        stalled = true;
        try {
            in.close();
        } catch (IOException e) {
            // the reading thread is notified by its own exception
        }
    }

    @Override
    public void close() throws IOException {
        clock.shutdownNow();
        super.close();
    }
}
