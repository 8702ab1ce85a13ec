package io.github.gramian.cli.common;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when the one that started it is gone, however that one ended: the system then closes the pipe to this
 * one's standard input. The end is that of Ctrl-C, so that a training saves.
 */
public final class ParentWatch {

    /** A property of a process whose standard input is such a pipe. */
    public static final String SETTING = "gramian.endsWithInput";

    private ParentWatch() {}

    /** Starts watching, if this process was started with such a pipe. */
    public static void begin(InputStream input) {
        if (Boolean.getBoolean(SETTING)) {
            Thread watch = new Thread(() -> awaitEnd(input), "gramian-parent");
            watch.setDaemon(true);
            watch.start();
        }
    }

    private static void awaitEnd(InputStream input) {
        try {
            while (input.read() >= 0) {
                // nobody writes; whatever comes is not the end
            }
        } catch (IOException e) {
            // an end as well
        }
        System.exit(StopSignal.EXIT_CODE);
    }
}
