package io.github.gramian.tensor.safetensors.internal;

import io.github.gramian.tensor.internal.TensorType;
import java.util.List;

/**
 * One tensor of a file, not yet read.
 *
 * @param begin first byte, counted from the start of the data section
 * @param end one past the last byte
 */
public record TensorEntry(String name, TensorType type, List<Long> shape, long begin, long end) {

    public TensorEntry {
        shape = List.copyOf(shape);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("tensor '" + name + "' lies at " + begin + ".." + end);
        }
    }

    public long elements() {
        return (end - begin) / type.bytes();
    }

    /** Its shape as LibTorch takes it. */
    public long[] dimensions() {
        return shape.stream().mapToLong(Long::longValue).toArray();
    }
}
