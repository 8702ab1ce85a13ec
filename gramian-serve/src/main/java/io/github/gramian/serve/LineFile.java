package io.github.gramian.serve;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lines to a file, to standard output, or nowhere; each is written at once. A full disk does not stop the server: the first
 * line that is lost is reported, and so is the number of lost lines when writing works again.
 */
final class LineFile implements Consumer<String>, AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");
    private static final String STANDARD_OUTPUT = "-";

    private final String name;
    private final OutputStream target;
    private final Consumer<String> reports;
    private long lost;

    /** @param reports gets a sentence when writing fails for the first time, and when it works again */
    LineFile(String name, OutputStream target, Consumer<String> reports) {
        this.name = name;
        this.target = target;
        this.reports = reports;
    }

    static LineFile of(@Nullable String where, PrintWriter standardOutput) throws IOException {
        Consumer<String> log = sentence -> LOG.log(Level.WARNING, sentence);
        if (where == null) {
            return new LineFile("nowhere", OutputStream.nullOutputStream(), log);
        }
        return where.equals(STANDARD_OUTPUT)
                ? new LineFile("standard output", printed(standardOutput), log)
                : new LineFile(
                        where,
                        Files.newOutputStream(Path.of(where), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                        log);
    }

    /** Standard output, which others use as well. A writer that has failed once never reports success again. */
    static OutputStream printed(PrintWriter out) {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int start, int length) throws IOException {
                out.print(new String(bytes, start, length, StandardCharsets.UTF_8));
                if (out.checkError()) {
                    throw new IOException("the other side does not read it, or its disk is full");
                }
            }
        };
    }

    @Override
    public synchronized void accept(String line) {
        try {
            // The last attempt may have stopped within a line.
            target.write(((lost > 0 ? "\n" : "") + line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            if (lost++ == 0) {
                reports.accept("the access log cannot be written to " + name + " (" + failure.getMessage()
                        + "); requests are answered but not logged until it can be written again");
            }
            return;
        }
        if (lost > 0) {
            reports.accept("the access log is written to " + name + " again; lines that were lost: " + lost);
            lost = 0;
        }
    }

    @Override
    public synchronized void close() {
        try {
            target.close();
        } catch (IOException failure) {
            reports.accept("the access log " + name + " cannot be closed: " + failure.getMessage());
        }
        if (lost > 0) {
            reports.accept("the access log " + name + " is not complete; lines that were lost: " + lost);
        }
    }
}
