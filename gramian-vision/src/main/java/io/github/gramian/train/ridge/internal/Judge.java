package io.github.gramian.train.ridge.internal;

import io.github.gramian.certainty.internal.Temperature;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * Judges scores of rows that were not trained on by their labels; also the labels as targets of a regression.
 *
 * @param labels of those rows
 * @param weights how much each of those rows counts
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Judge(int[] labels, int classes, double[] weights) {

    /** Every row counts the same. */
    Judge(int[] labels, int classes) {
        this(labels, classes, equal(labels.length));
    }

    /** The weight 1 for each row. */
    static double[] equal(int rows) {
        double[] weights = new double[rows];
        Arrays.fill(weights, 1);
        return weights;
    }

    /** The weight of each row by its class. */
    static double[] weights(int[] labels, double[] ofClass) {
        return IntStream.of(labels).mapToDouble(label -> ofClass[label]).toArray();
    }

    /** (Σw)²/Σw²: the number of equally weighted rows whose mean varies as much. */
    int independent() {
        double sum = Arrays.stream(weights).sum();
        return (int)
                Math.round(sum * sum / Arrays.stream(weights).map(w -> w * w).sum());
    }

    /** The result of one penalty. scores: [rows, classes], double; unit: of the relative penalty. */
    RidgeFit.Trial trial(double relative, double unit, Tensor scores) {
        return trial(relative, unit, values(scores));
    }

    /** The same for scores row after row. */
    RidgeFit.Trial trial(double relative, double unit, double[] scores) {
        Temperature temperature = new Temperature(scores, labels, classes, weights);
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

    /** [rows], double. */
    static Tensor vector(double[] values) {
        Tensor vector = TensorBytes.allocate(TensorType.F64, values.length);
        buffer(vector).put(values);
        return vector;
    }

    /** √w: [rows, 1], double. */
    static Tensor roots(double[] weights) {
        return vector(weights).sqrt_().unsqueeze(1);
    }

    /** Some of these rows. */
    Judge some(int[] rows) {
        return new Judge(
                IntStream.of(rows).map(row -> labels[row]).toArray(),
                classes,
                IntStream.of(rows).mapToDouble(row -> weights[row]).toArray());
    }

    private static DoubleBuffer buffer(Tensor doubles) {
        return TensorBytes.memory(doubles).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    }
}
