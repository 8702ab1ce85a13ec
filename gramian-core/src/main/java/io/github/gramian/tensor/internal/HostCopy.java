package io.github.gramian.tensor.internal;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.Arrays;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Values of tensors as Java arrays, and labels as tensors: one copy of the whole, never a call for each element. */
public final class HostCopy {

    private static final Placement HOST = Placement.cpu(Precision.FLOAT);

    private HostCopy() {}

    /** All values, row after row, as floats. */
    public static float[] floats(Tensor tensor) {
        float[] values = new float[Math.toIntExact(tensor.numel())];
        if (values.length > 0) {
            try (Scope scope = Scope.open()) {
                Tensor dense = HOST.place(tensor.detach()).contiguous();
                dense.data_ptr_float().capacity(values.length).asBuffer().get(values);
            }
        }
        return values;
    }

    /** The rows of a matrix [n, m] as floats: n arrays of length m. */
    public static float[][] rows(Tensor matrix) {
        float[] all = floats(matrix);
        int columns = Math.toIntExact(matrix.size(1));
        float[][] rows = new float[Math.toIntExact(matrix.size(0))][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = Arrays.copyOfRange(all, i * columns, (i + 1) * columns);
        }
        return rows;
    }

    /** Labels as LibTorch's losses take them: a Long tensor [n] on the device of a placement. */
    public static Tensor labels(int[] labels, Placement placement) {
        long[] wide = Arrays.stream(labels).asLongStream().toArray();
        return torch.tensor(wide).to(new Device(placement.device()), ScalarType.Long);
    }
}
