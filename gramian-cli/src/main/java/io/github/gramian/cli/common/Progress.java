package io.github.gramian.cli.common;

import io.github.gramian.io.internal.Text;
import java.io.PrintWriter;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Progress of long work: a bar on a terminal, now and then a line elsewhere, nothing with --quiet. Any thread
 * may report.
 */
public final class Progress implements AutoCloseable {

    /** Set by the start script where standard error is a terminal; Java itself cannot detect it in every version. */
    private static final String TERMINAL = "gramian.terminal";

    private static final long PAUSE = TimeUnit.SECONDS.toNanos(5);

    /** Seconds of work below which its speed is not meaningful. */
    private static final double MIN_SECONDS = 0.1;

    private final String task;
    private final long total;
    private final PrintWriter out;
    private final boolean quiet;
    private final @Nullable ProgressBar bar;
    private final long start = System.nanoTime();
    private long lastReport = start;

    public Progress(String task, String unit, long total, PrintWriter out, boolean quiet) {
        this.task = task;
        this.total = total;
        this.out = out;
        this.quiet = quiet;
        this.bar = quiet || !Boolean.getBoolean(TERMINAL) ? null : bar(task, unit, total);
    }

    private static ProgressBar bar(String task, String unit, long total) {
        boolean plain = System.getenv("NO_COLOR") != null;
        return new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(total)
                .setUnit(" " + unit, 1)
                .setStyle(plain ? ProgressBarStyle.ASCII : ProgressBarStyle.COLORFUL_UNICODE_BLOCK)
                .showSpeed(new DecimalFormat("#.0", DecimalFormatSymbols.getInstance(Locale.ROOT)))
                .build();
    }

    public void done(long count) {
        done(count, "");
    }

    /** Reports the number done, with details. If no bar is shown, the details replace the speed. */
    public synchronized void done(long count, String details) {
        if (bar != null) {
            bar.setExtraMessage(details);
            bar.stepTo(count);
        } else if (!quiet && (System.nanoTime() - lastReport > PAUSE || (count == total && details.isEmpty()))) {
            lastReport = System.nanoTime();
            String suffix = details.isEmpty() ? speed(count, (lastReport - start) / 1e9) : details;
            out.println(Text.format("%s: %d of %d%s", task, count, total, suffix.isEmpty() ? "" : ", " + suffix));
            out.flush();
        }
    }

    /** Nothing for work that was over at once: it has no speed. */
    private String speed(long count, double seconds) {
        if (seconds < MIN_SECONDS) {
            return "";
        }
        double rate = count / seconds;
        return Text.format("%.1f/s, %s left", rate, Text.duration((total - count) / Math.max(rate, 1e-9)));
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
