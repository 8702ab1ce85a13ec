package io.github.gramian.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Entry point for Jazzer, in a separate process per target. */
public final class FuzzEntry {

    static final String TARGET = "gramian.fuzz.target";
    static final String LAST_INPUT = "gramian.fuzz.last";

    private static final FuzzTarget READER = FuzzTargets.named(System.getProperty(TARGET, ""));
    private static final Watch WATCH = new Watch(READER);
    private static final Watch.LastInput LAST = lastInput();

    private FuzzEntry() {}

    private static Watch.LastInput lastInput() {
        try {
            return new Watch.LastInput(Path.of(System.getProperty(LAST_INPUT)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Before anything is measured: what is loaded once (classes, which are instrumented then, and native libraries) is loaded by
     * valid files, and the one thread that reads is watched.
     */
    public static void fuzzerInitialize() throws Exception {
        for (byte[] seed : READER.seeds().make()) {
            READER.accepts(seed);
        }
        WATCH.endWhatDoesNotEnd();
    }

    /** The name that Jazzer looks for. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        LAST.note(input);
        WATCH.read(input);
    }
}
