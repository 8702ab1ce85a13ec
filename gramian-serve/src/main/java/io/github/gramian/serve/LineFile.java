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
    private final @Nullable Target target;
    private final Consumer<String> reports;
    private long lost;

    /** Where bytes go. */
    interface Target {
        void write(byte[] bytes) throws IOException;

        void close() throws IOException;
    }

    /** @param reports gets a sentence when writing fails for the first time, and when it works again */
    LineFile(String name, @Nullable Target target, Consumer<String> reports) {
        this.name = name;
        this.target = target;
        this.reports = reports;
    }

    static LineFile of(@Nullable String where, PrintWriter standardOutput) throws IOException {
        Consumer<String> log = sentence -> LOG.log(Level.WARNING, sentence);
        if (where == null) {
            return new LineFile("nowhere", null, log);
        }
        return where.equals(STANDARD_OUTPUT)
                ? new LineFile("standard output", new Printed(standardOutput), log)
                : new LineFile(
                        where,
                        new Stored(Files.newOutputStream(
                                Path.of(where), StandardOpenOption.CREATE, StandardOpenOption.APPEND)),
                        log);
    }

    @Override
    public synchronized void accept(String line) {
        if (target == null) {
            return;
        }
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
            if (target != null) {
                target.close();
            }
        } catch (IOException failure) {
            reports.accept("the access log " + name + " cannot be closed: " + failure.getMessage());
        }
        if (lost > 0) {
            reports.accept("the access log " + name + " is not complete; lines that were lost: " + lost);
        }
    }

    private record Stored(OutputStream file) implements Target {

        @Override
        public void write(byte[] bytes) throws IOException {
            file.write(bytes);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Standard output, which others use as well. A writer that has failed once never reports success again. */
    record Printed(PrintWriter out) implements Target {

        @Override
        public void write(byte[] bytes) throws IOException {
            out.print(new String(bytes, StandardCharsets.UTF_8));
            if (out.checkError()) {
                throw new IOException("the other side does not read it, or its disk is full");
            }
        }

        @Override
        public void close() {
            out.flush();
        }
    }
}
