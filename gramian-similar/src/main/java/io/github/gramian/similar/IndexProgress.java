package io.github.gramian.similar;

import io.github.gramian.cli.common.Progress;
import io.github.gramian.similar.index.internal.IndexBuild;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** The progress of a build on a terminal. */
final class IndexProgress implements IndexBuild.Listener, AutoCloseable {

    private final PrintWriter err;
    private final boolean quiet;
    private @Nullable Progress progress;

    IndexProgress(PrintWriter err, boolean quiet) {
        this.err = err;
        this.quiet = quiet;
    }

    static IndexBuild.Listener silent() {
        return new IndexBuild.Listener() {
            @Override
            public void note(String sentence) {}

            @Override
            public void described(long images, long total) {}
        };
    }

    @Override
    public void note(String sentence) {
        if (!quiet) {
            err.println("note: " + sentence);
            err.flush();
        }
    }

    @Override
    public void described(long images, long total) {
        if (progress == null) {
            progress = new Progress("describing", "images", total, err, quiet);
        }
        progress.done(images);
    }

    @Override
    public void close() {
        if (progress != null) {
            progress.close();
        }
    }
}
