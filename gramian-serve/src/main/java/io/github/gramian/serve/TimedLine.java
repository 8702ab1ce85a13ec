package io.github.gramian.serve;

import io.github.gramian.cli.Gramian;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A line of the server's log: time (UTC) and message, and for a bug where it comes from. */
final class TimedLine extends Formatter {

    /** Gives all lines of the log this form, unless the user has chosen another. */
    static void install() {
        if (Gramian.LOG_LINE.equals(System.getProperty(Gramian.LOG_FORMAT))) {
            for (Handler handler : Logger.getLogger("").getHandlers()) {
                handler.setFormatter(new TimedLine());
            }
        }
    }

    @Override
    public String format(LogRecord line) {
        Instant time = line.getInstant().truncatedTo(ChronoUnit.MILLIS);
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        out.println(time + " gramian: " + formatMessage(line));
        if (line.getThrown() != null) {
            line.getThrown().printStackTrace(out);
        }
        return text.toString();
    }
}
