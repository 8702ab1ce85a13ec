package io.github.gramian.tensor;

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
 * What a cold process passes on its way to a first answer, in this order. With the system property {@value #TRACE} it
 * leaves a line for each in the file named there, with the time of day, so that a watching process can tell how the time
 * was spent; without, reaching one costs nothing.
 */
public enum StartupTrace {
    /** The JVM is up and runs our first line. */
    MAIN,
    /** The words of the command line are understood. */
    COMMAND,
    /** What the model says of itself is read and checked. */
    MODEL,
    /** The weights are those that were written. */
    SUM,
    /** The engine's libraries, which were being loaded meanwhile, are there. */
    ENGINE,
    /** Backbone and network hold their weights. */
    WEIGHTS,
    /** The first images are decoded and normalised. */
    IMAGE,
    /** The first answer is computed. */
    FORWARD,
    /** The first answer is printed. */
    ANSWER;

    /** The system property that names the file. */
    public static final String TRACE = "gramian.trace";

    private static final @Nullable String FILE = System.getProperty(TRACE);

    /** To be called by the thread on which everything waits, whenever it passes here; the first time counts. */
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
