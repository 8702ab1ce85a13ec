package io.github.gramian.tensor.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Startup trace: the points that a cold process passes before its first prediction, in this order. With the system property
 * {@value #TRACE} it writes a line for each to the file named there, with the time of day, so that another process can see
 * how the time was spent; without the property, a trace point costs nothing.
 */
public enum StartupTrace {
    /** The JVM is up and runs our first line. */
    MAIN,
    /** The command line is parsed. */
    COMMAND,
    /** The model's description is read and checked. */
    MODEL,
    /** The hash of the weights is verified. */
    SUM,
    /** The engine's libraries are loaded. */
    ENGINE,
    /** Backbone and network hold their weights. */
    WEIGHTS,
    /** The first images are decoded and normalised. */
    IMAGE,
    /** The first prediction is computed. */
    FORWARD,
    /** The first prediction is printed. */
    ANSWER;

    /** The system property that names the file. */
    public static final String TRACE = "gramian.trace";

    private static final @Nullable String FILE = System.getProperty(TRACE);

    /** Call it on the main thread at this point; the first time counts. */
    public void reached() {
        if (FILE != null) {
            note(Path.of(FILE));
        }
    }

    void note(Path trace) {
        try {
            Files.writeString(
                    trace, name() + " " + micros() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException failure) {
            throw new UncheckedIOException(trace + " cannot be written; give -D" + TRACE + " another file", failure);
        }
    }

    /** Microseconds since 1970: the one clock that two processes share. */
    public static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** When each was first reached, in microseconds since 1970, as a process noted it. */
    public static Map<StartupTrace, Long> read(Path trace) throws IOException {
        Map<StartupTrace, Long> reached = new EnumMap<>(StartupTrace.class);
        for (String line : Files.readAllLines(trace)) {
            int space = line.indexOf(' ');
            reached.putIfAbsent(valueOf(line.substring(0, space)), Long.valueOf(line.substring(space + 1)));
        }
        return reached;
    }
}
