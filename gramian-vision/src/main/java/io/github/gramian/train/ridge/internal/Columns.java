package io.github.gramian.train.ridge.internal;

import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.ByteOrder;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Matrices side by side, and arrays as tensors. */
final class Columns {

    private Columns() {}

    /** [d, q₁], [d, q₂], … to [d, q₁ + q₂ + …]. */
    static Tensor join(List<Tensor> matrices) {
        return torch.cat(new TensorVector(matrices.toArray(Tensor[]::new)), 1);
    }

    /** [q], double. */
    static Tensor vector(double[] values) {
        Tensor vector = TensorBytes.allocate(TensorType.F64, values.length);
        TensorBytes.memory(vector)
                .order(ByteOrder.nativeOrder())
                .asDoubleBuffer()
                .put(values);
        return vector;
    }
}
