package io.github.gramian.tensor.internal;

import io.github.gramian.tensor.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Pointer;

/**
 * Resident memory that some work needs at its highest, above what the process held before. Linux keeps the high-water mark
 * (VmHWM of /proc/self/status) and sets it back when 5 is written to /proc/self/clear_refs; where that is forbidden, a
 * thread looks every millisecond; elsewhere nothing is known.
 */
public final class PeakMemory {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path RESET = Path.of("/proc/self/clear_refs");

    private PeakMemory() {}

    /** Runs the work; bytes above the level before, never negative. */
    public static OptionalLong of(Runnable work) {
        trim();
        long before = Files.isReadable(STATUS) ? bytes("VmRSS:") : 0;
        OptionalLong highest = ofProcess(work);
        return highest.isPresent() ? OptionalLong.of(Math.max(0, highest.getAsLong() - before)) : highest;
    }

    /** Runs the work; bytes of the whole process at its highest. */
    public static OptionalLong ofProcess(Runnable work) {
        if (!Files.isReadable(STATUS)) {
            work.run();
            return OptionalLong.empty();
        }
        trim();
        return OptionalLong.of(resetMark() ? markAfter(work) : sampled(work));
    }

    /** As {@link #of}, in megabytes, for work that gets its own scope; NaN where nothing is known. */
    public static double megabytes(Runnable work) {
        OptionalLong bytes = of(() -> {
            try (Scope scope = Scope.open()) {
                work.run();
            }
        });
        return bytes.isPresent() ? bytes.getAsLong() / 1e6 : Double.NaN;
    }

    /** Memory that malloc retains from earlier work would hide the memory that this work needs. */
    private static void trim() {
        Pointer.trimMemory();
    }

    private static long markAfter(Runnable work) {
        work.run();
        return bytes("VmHWM:");
    }

    private static boolean resetMark() {
        try {
            Files.writeString(RESET, "5");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The highest of what a thread sees; short peaks may escape it. */
    static long sampled(Runnable work) {
        AtomicLong highest = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        Thread watcher = new Thread(() -> watch(highest, done), "memory watcher");
        watcher.setDaemon(true);
        watcher.start();
        try {
            work.run();
        } finally {
            done.set(true);
        }
        try {
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return highest.get();
    }

    private static void watch(AtomicLong highest, AtomicBoolean done) {
        do {
            highest.accumulateAndGet(bytes("VmRSS:"), Math::max);
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        } while (!done.get());
    }

    /** A line such as "VmRSS:   123456 kB". */
    private static long bytes(String key) {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(key))
                    .findFirst()
                    .map(line -> line.replaceAll("\\D", ""))
                    .map(digits -> Long.parseLong(digits) << 10)
                    .orElse(0L);
        } catch (IOException e) {
            return 0;
        }
    }
}
