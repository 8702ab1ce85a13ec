package io.github.gramian.cli;

import io.github.gramian.dataset.ContentHash;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Says every few seconds how far a long reading has come; a short one stays silent. */
final class ProgressLines implements ContentHash.Progress {

    private static final long PAUSE = TimeUnit.SECONDS.toNanos(3);

    private final PrintWriter out;
    private long lastTold = System.nanoTime();

    ProgressLines(PrintWriter out) {
        this.out = out;
    }

    @Override
    public synchronized void done(int files, int total) {
        if (System.nanoTime() - lastTold > PAUSE) {
            lastTold = System.nanoTime();
            out.println("read " + files + " of " + total + " files");
            out.flush();
        }
    }
}
