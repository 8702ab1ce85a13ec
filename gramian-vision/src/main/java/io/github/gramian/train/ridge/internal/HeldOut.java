package io.github.gramian.train.ridge.internal;

import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import org.bytedeco.pytorch.Tensor;

/**
 * Labels as targets of a regression, and what scores of rows that were not trained on are worth.
 *
 * @param labels of those rows
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HeldOut(int[] labels, int classes) {

    /** The result of one penalty. scores: [rows, classes], double; unit: of the relative penalty. */
    RidgeFit.Trial trial(double relative, double unit, Tensor scores) {
        return trial(relative, unit, values(scores));
    }

    /** The same for scores row after row. */
    RidgeFit.Trial trial(double relative, double unit, double[] scores) {
        Temperature temperature = new Temperature(scores, labels, classes);
        double s = temperature.best();
        return new RidgeFit.Trial(relative, relative * unit, temperature.accuracy(), temperature.logLoss(s), s);
    }

    /** The values of a matrix of doubles, row after row. */
    static double[] values(Tensor scores) {
        try (Scope scope = Scope.open()) {
            Tensor dense = scores.contiguous();
            double[] values = new double[Math.toIntExact(dense.numel())];
            buffer(dense).get(values);
            return values;
        }
    }

    /** 1 for a row's class, 0 for the others: [rows, classes], double. */
    static Tensor indicators(int[] labels, int classes) {
        Tensor indicators = TensorBytes.allocate(TensorType.F64, labels.length, classes);
        indicators.zero_();
        DoubleBuffer values = buffer(indicators);
        for (int row = 0; row < labels.length; row++) {
            values.put(row * classes + labels[row], 1);
        }
        return indicators;
    }

    private static DoubleBuffer buffer(Tensor doubles) {
        return TensorBytes.memory(doubles).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    }
}
