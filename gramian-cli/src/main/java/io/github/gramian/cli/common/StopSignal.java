package io.github.gramian.cli.common;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A Ctrl-C request that long work polls after every step. Work that has noticed it is given time to save. Work that does
 * not poll within seconds is in the middle of something that saves nothing (a decomposition, a walk through a folder): the
 * process then ends without it, which does no harm, since files are complete or absent.
 */
public final class StopSignal implements BooleanSupplier, AutoCloseable {

    /** The exit code that shells expect of an interrupted process. */
    public static final int EXIT_CODE = 130;

    /** Until the work polls; together with the end of the JVM, a user waits five seconds at most. */
    static final Duration UNTIL_NOTICED = Duration.ofMillis(3500);

    /** From then on: longer than any file takes to be written. */
    private static final Duration UNTIL_SAVED = Duration.ofMinutes(2);

    private final AtomicBoolean stop = new AtomicBoolean();
    private final CountDownLatch noticed = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::awaitEnd, "gramian-stop");
    private final PrintStream err;

    private StopSignal(PrintStream err) {
        this.err = err;
    }

    /** Listens from now until it is closed. */
    public static StopSignal listen() {
        StopSignal signal = new StopSignal(System.err);
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    @Override
    public boolean getAsBoolean() {
        if (stop.get()) {
            noticed.countDown();
            return true;
        }
        return false;
    }

    private void awaitEnd() {
        stop.set(true);
        try {
            boolean saving = noticed.await(UNTIL_NOTICED.toMillis(), TimeUnit.MILLISECONDS);
            if (saving ? !finished.await(UNTIL_SAVED.toSeconds(), TimeUnit.SECONDS) : finished.getCount() > 0) {
                err.println("gramian: stopped in the middle of a step; earlier progress is saved, and the same command"
                        + " continues from there");
                err.flush();
                AbruptEnd.now();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The work is over; the process may end. */
    @Override
    public void close() {
        finished.countDown();
        noticed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running: it is what stopped the work.
        }
    }

    /**
     * The end of a process that cannot wait for its threads. {@link Runtime#halt} calls the C library's {@code exit}, which runs
     * the destructors of native libraries while threads still compute in them: a backward pass under way then crashes the JVM, or
     * leaves it hanging. So the process ends as one without a handler would, by the signal itself; by SIGKILL where a shell made
     * SIGINT ignored for its background jobs, which a JVM cannot undo.
     */
    private static final class AbruptEnd {

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
}
