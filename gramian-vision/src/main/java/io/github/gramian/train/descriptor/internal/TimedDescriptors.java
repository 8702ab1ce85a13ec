package io.github.gramian.train.descriptor.internal;

import org.bytedeco.pytorch.Tensor;

/** Rows with the time that it took to make them. Not for several threads at once. */
public final class TimedDescriptors implements Descriptors {

    private final Descriptors source;
    private double seconds;

    public TimedDescriptors(Descriptors source) {
        this.source = source;
    }

    /** Seconds that a row took, in the fastest block of rows; 0 before the first. */
    public double seconds() {
        return seconds;
    }

    @Override
    public long count() {
        return source.count();
    }

    @Override
    public long length() {
        return source.length();
    }

    @Override
    public Tensor rows(long from, long to) {
        long start = System.nanoTime();
        Tensor rows = source.rows(from, to);
        double each = (System.nanoTime() - start) / 1e9 / (to - from);
        seconds = seconds == 0 ? each : Math.min(seconds, each);
        return rows;
    }
}
