package io.github.gramian.cli.common;

import java.io.File;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The end of a process that cannot wait for its threads. {@link Runtime#halt} calls the C library's {@code exit}, which runs
 * the destructors of native libraries while threads still compute in them: a backward pass under way then crashes the JVM, or
 * leaves it hanging. So the process ends as one without a handler would, by the signal itself; by SIGKILL where a shell made
 * SIGINT ignored for its background jobs, which a JVM cannot undo.
 */
final class AbruptEnd {

    /** On a busy machine a shell takes seconds to start. */
    private static final long MAX_SECONDS = 30;

    private AbruptEnd() {}

    /** Does not return. Shells and parents see {@link StopSignal#EXIT_CODE}, or 137 after SIGKILL. */
    static void now() {
        if (File.separatorChar == '/') { // Windows ends other threads before it notifies libraries of the end
            handleByDefault("INT");
            try {
                // The shell has 'kill' built in; Java cannot send itself a signal that it does not handle.
                String own = " " + ProcessHandle.current().pid();
                new ProcessBuilder("sh", "-c", "kill -INT" + own + " && sleep 0.2 && kill -KILL" + own).start();
                TimeUnit.SECONDS.sleep(MAX_SECONDS);
            } catch (IOException e) {
                // as well as it goes
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Runtime.getRuntime().halt(StopSignal.EXIT_CODE);
    }

    /** By reflection, since the compiler warns of the class, which every JDK has. */
    private static void handleByDefault(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            signal.getMethod("handle", signal, handler)
                    .invoke(
                            null,
                            signal.getConstructor(String.class).newInstance(name),
                            handler.getField("SIG_DFL").get(null));
        } catch (ReflectiveOperationException e) {
            // The signal remains ignored.
        }
    }
}
