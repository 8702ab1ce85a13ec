package io.github.gramian.fuzz;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * Lets a target read under limits: what one input may cost. Time is that of the processor and memory is all that was
 * allocated, freed or not, so that a busy machine or a late collection changes no verdict. (What takes native memory is
 * stopped by the fuzzer's limit on the whole process.)
 */
final class Watch {

    static final Duration MAX_TIME = Duration.ofSeconds(2);
    static final long MAX_MEMORY = 512L << 20;

    /** After which an input is called endless. */
    private static final Duration ENDLESS = Duration.ofSeconds(5);

    private static final int ENDLESS_EXIT = 70;

    /** Instead of a beginning while nothing is read: what the fuzzer itself does takes time, too. */
    private static final long NOTHING = Long.MAX_VALUE;

    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final FuzzTarget target;
    private final Duration maxTime;
    private volatile long started = NOTHING;

    Watch(FuzzTarget target) {
        this(target, MAX_TIME);
    }

    Watch(FuzzTarget target, Duration maxTime) {
        this.target = target;
        this.maxTime = maxTime;
    }

    /**
     * Whether the target accepts; throws a finding. An input that costs too much is read once more, and the second cost counts: the
     * first reader of all also pays for the classes and native libraries that are loaded once.
     */
    boolean read(byte[] input) throws Exception {
        Cost cost = cost(input);
        if (cost.tooHigh(maxTime)) {
            cost = cost(input);
        }
        if (cost.tooHigh(maxTime)) {
            throw new FindingException(input.length + " bytes took " + cost.nanos / 1_000_000 + " ms and "
                    + (cost.bytes >> 20) + " MiB of memory");
        }
        return cost.accepted;
    }

    private Cost cost(byte[] input) throws Exception {
        long memory = THREADS.getCurrentThreadAllocatedBytes();
        long time = THREADS.getCurrentThreadCpuTime();
        boolean accepted = accepts(input, time);
        long nanos = THREADS.getCurrentThreadCpuTime() - time;
        return new Cost(accepted, nanos, THREADS.getCurrentThreadAllocatedBytes() - memory);
    }

    private record Cost(boolean accepted, long nanos, long bytes) {

        boolean tooHigh(Duration maxTime) {
            return nanos > maxTime.toNanos() || bytes > MAX_MEMORY;
        }
    }

    private boolean accepts(byte[] input, long time) throws Exception {
        started = time;
        try {
            return target.accepts(input);
        } finally {
            started = NOTHING;
        }
    }

    /** From now on, an input of this thread that does not end ends the process. */
    void endWhatDoesNotEnd() {
        Thread reader = Thread.currentThread();
        Thread guard = new Thread(() -> guard(reader), "endless inputs");
        guard.setDaemon(true);
        guard.start();
    }

    private void guard(Thread reader) {
        try {
            while (THREADS.getThreadCpuTime(reader.getId()) - started < ENDLESS.toNanos()) {
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            return;
        }
        System.err.println("== endless input: more than " + ENDLESS.toSeconds() + " s of processor time");
        for (StackTraceElement call : reader.getStackTrace()) {
            System.err.println("\tat " + call);
        }
        Runtime.getRuntime().halt(ENDLESS_EXIT);
    }

    /** The input that is being read, in a file that survives the process: an abort in native code leaves nothing else. */
    static final class LastInput {

        static final int MAX_BYTES = 1 << 20;

        private final MappedByteBuffer file;

        LastInput(Path path) throws IOException {
            try (FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                file = channel.map(FileChannel.MapMode.READ_WRITE, 0, Integer.BYTES + MAX_BYTES);
            }
        }

        void note(byte[] input) {
            int length = Math.min(input.length, MAX_BYTES);
            file.putInt(0, length);
            file.put(Integer.BYTES, input, 0, length);
        }

        byte[] read() {
            byte[] input = new byte[Math.max(0, Math.min(file.getInt(0), MAX_BYTES))];
            file.get(Integer.BYTES, input);
            return input;
        }
    }
}
