package io.github.gramian.serve;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lines to a file, to standard output, or nowhere; each is written at once. A full disk does not stop the server. */
final class LineFile implements Consumer<String>, AutoCloseable {

    private static final String STANDARD_OUTPUT = "-";

    private final @Nullable PrintWriter out;
    private final boolean ours;

    private LineFile(@Nullable PrintWriter out, boolean ours) {
        this.out = out;
        this.ours = ours;
    }

    static LineFile of(@Nullable String where, PrintWriter standardOutput) throws IOException {
        if (where == null) {
            return new LineFile(null, false);
        }
        if (where.equals(STANDARD_OUTPUT)) {
            return new LineFile(standardOutput, false);
        }
        Writer file = Files.newBufferedWriter(
                Path.of(where), StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return new LineFile(new PrintWriter(file), true);
    }

    @Override
    public synchronized void accept(String line) {
        if (out != null) {
            out.print(line + "\n");
            out.flush();
        }
    }

    @Override
    public synchronized void close() {
        if (out != null && ours) {
            out.close();
        } else if (out != null) {
            out.flush();
        }
    }
}
