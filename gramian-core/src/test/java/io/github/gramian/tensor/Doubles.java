package io.github.gramian.tensor;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Small tensors with given values, for tests; LibTorch's Java binding has no constructor for double arrays. */
public final class Doubles {

    private Doubles() {}

    public static Tensor row(double... values) {
        Tensor row = torch.zeros(
                new long[] {values.length}, Placement.cpu(Precision.DOUBLE).options());
        for (int i = 0; i < values.length; i++) {
            row.select(0, i).fill_(Scalars.scalar(values[i]));
        }
        return row;
    }

    public static Tensor matrix(double[]... rows) {
        Tensor matrix = torch.zeros(
                new long[] {rows.length, rows[0].length},
                Placement.cpu(Precision.DOUBLE).options());
        for (int i = 0; i < rows.length; i++) {
            matrix.select(0, i).copy_(row(rows[i]));
        }
        return matrix;
    }
}
