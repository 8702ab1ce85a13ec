package io.github.gramian.tensor;

import java.nio.FloatBuffer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Numbers of tensors as Java arrays, and back: one copy of the whole, never a call an element. */
public final class HostCopy {

    private static final Placement HOST = Placement.cpu(Precision.FLOAT);

    private HostCopy() {}

    /** All numbers, row after row, as floats. */
    public static float[] floats(Tensor tensor) {
        float[] numbers = new float[Math.toIntExact(tensor.numel())];
        if (numbers.length > 0) {
            try (Scope scope = Scope.open()) {
                Tensor dense = HOST.place(tensor.detach()).contiguous();
                dense.data_ptr_float().capacity(numbers.length).asBuffer().get(numbers);
            }
        }
        return numbers;
    }

    /** The rows of a matrix as floats. */
    public static float[][] rows(Tensor matrix) {
        float[] all = floats(matrix);
        int columns = Math.toIntExact(matrix.size(1));
        float[][] rows = new float[Math.toIntExact(matrix.size(0))][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = java.util.Arrays.copyOfRange(all, i * columns, (i + 1) * columns);
        }
        return rows;
    }

    /** A tensor of these numbers in this shape, placed. */
    public static Tensor tensor(float[] numbers, Placement placement, long... shape) {
        Tensor host = torch.empty(shape, HOST.options(), new org.bytedeco.pytorch.MemoryFormatOptional());
        if (host.numel() != numbers.length) {
            throw new IllegalArgumentException(
                    numbers.length + " numbers do not fill a tensor of " + host.numel() + " entries");
        }
        if (numbers.length > 0) {
            FloatBuffer memory = host.data_ptr_float().capacity(numbers.length).asBuffer();
            memory.put(numbers);
        }
        return placement.place(host);
    }

    /** Labels as LibTorch's losses take them: a Long tensor on the device of a placement. */
    public static Tensor labels(int[] labels, Placement placement) {
        long[] wide = java.util.Arrays.stream(labels).asLongStream().toArray();
        return torch.tensor(wide).to(new org.bytedeco.pytorch.Device(placement.device()), ScalarType.Long);
    }
}
