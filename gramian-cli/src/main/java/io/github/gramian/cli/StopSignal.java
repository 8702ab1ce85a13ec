package io.github.gramian.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Ctrl-C as a question that long work asks now and then: the process waits until the work has saved what it needs. */
final class StopSignal implements BooleanSupplier, AutoCloseable {

    /** What shells expect of a process that was interrupted. */
    static final int EXIT_CODE = 130;

    /** Longer than any step; a step is finished before the process ends. */
    private static final int PATIENCE_SECONDS = 120;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::awaitEnd, "gramian-stop");

    private StopSignal() {}

    /** Listens from now until it is closed. */
    static StopSignal listen() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    @Override
    public boolean getAsBoolean() {
        return stop.get();
    }

    private void awaitEnd() {
        stop.set(true);
        try {
            if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        } catch (InterruptedException given) {
            Thread.currentThread().interrupt();
        }
    }

    /** The work is over; the process may end. */
    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyEnding) {
            // The hook is running: it is what stopped the work.
        }
    }
}
