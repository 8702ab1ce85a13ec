package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.RowBlocks;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * X: the rows that are fitted to, relative to their mean, [n, d], as they pass by in blocks. Rows with weights w give XᵀDX with
 * D = diag(w) instead of XᵀX, and weighted means. Other rows (held out) may lie
 * between them and after them. Nothing of the size of X is in memory, and always the same blocks are summed in the same
 * order.
 *
 * <p>Owns its tensors until it is closed; results belong to the caller's scope.
 */
final class CentredRows implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Bytes of a block: large enough for products at full speed. */
    private static final long BLOCK_BYTES = 64L << 20;

    /** Blocks whose products are summed in float before the sum goes to double. */
    private static final int FLOAT_BLOCKS = 4;

    /** Below this fraction of the size of the rows, what is left after centring is rounding. */
    private static final double NO_VARIANCE = 1e-13;

    private final Descriptors source;
    private final IntPredicate fitted;
    private final long end;
    private final long blockRows;
    private final Tensor buffer;
    private final Tensor weights;
    private final Tensor mean;
    private final long count;
    private final double total;
    private final double scale;

    /**
     * Passes over the rows once.
     *
     * @param fitted which rows are fitted to; at least two
     */
    CentredRows(Descriptors source, IntPredicate fitted) {
        this(source, fitted, Judge.equal(Math.toIntExact(source.count())));
    }

    /** The same with a weight of each row of the source. */
    CentredRows(Descriptors source, IntPredicate fitted, double[] ofRow) {
        this.source = source;
        this.fitted = fitted;
        this.end = lastFitted(source.count(), fitted) + 1;
        int all = Math.toIntExact(source.count());
        this.weights = Scope.own(Judge.vector(IntStream.range(0, all)
                .mapToDouble(row -> fitted.test(row) ? ofRow[row] : 0)
                .toArray()));
        this.blockRows = Math.max(1, Math.min(source.count(), BLOCK_BYTES / (Float.BYTES * source.length())));
        try (Scope scope = Scope.open()) {
            this.buffer = Scope.own(TensorBytes.allocate(TensorType.F32, blockRows, source.length()));
            Tensor sum = torch.zeros(new long[] {source.length()}, DOUBLE.options());
            double squares = 0;
            double sumOfWeights = 0;
            // Rows after the last one that is fitted to are looked at as well: they must be finite, too.
            for (long from = 0; from < source.count(); from += blockRows) {
                try (Scope step = Scope.open()) {
                    long to = Math.min(source.count(), from + blockRows);
                    Tensor X = DOUBLE.place(asked(from, to));
                    Tensor ours = weights(from, to, DOUBLE);
                    sum.add_(ours.matmul(X));
                    squares += X.square().sum(1).dot(ours).item_double();
                    sumOfWeights += ours.sum().item_double();
                }
            }
            this.count = IntStream.range(0, all).filter(fitted).count();
            this.total = sumOfWeights;
            this.mean = Scope.own(sum.div_(scalar(total)));
            double size = squares / total;
            double spread = size - mean.square().sum().item_double();
            this.scale = spread > NO_VARIANCE * size ? spread : size > 0 ? size : 1.0;
        }
    }

    private static long lastFitted(long rows, IntPredicate fitted) {
        long last = rows - 1;
        while (last > 0 && !fitted.test((int) last)) {
            last--;
        }
        return last;
    }

    /** n. */
    long count() {
        return count;
    }

    /** Σw of the rows that are fitted to; n without weights. */
    double total() {
        return total;
    }

    /** All rows of the source, fitted to or not. */
    long rows() {
        return source.count();
    }

    /** d. */
    long length() {
        return source.length();
    }

    /** The mean squared distance of a row from the mean row, tr(XᵀDX)/Σw: the unit to choose λ in. */
    double scale() {
        return scale;
    }

    /** The mean row: [d], double. */
    Tensor mean() {
        return mean;
    }

    /** Takes a block of rows relative to the mean: [to − from, d], those that are fitted to and others. */
    @FunctionalInterface
    interface Block {
        void take(long from, long to, Tensor rows);
    }

    /** Shows the rows from 0 to an end, block after block. */
    void each(Precision precision, long rowsEnd, Block use) {
        Placement placement = Placement.cpu(precision);
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor origin = placement.place(mean);
            for (long from = 0; from < rowsEnd; from += blockRows) {
                try (Scope step = Scope.open()) {
                    long to = Math.min(source.count(), from + blockRows);
                    Tensor rows = source.rows(from, to, buffer);
                    use.take(
                            from,
                            to,
                            precision == Precision.FLOAT
                                    ? torch.sub_out(buffer.narrow(0, 0, to - from), rows, origin)
                                    : placement.place(rows).sub(origin));
                }
            }
        }
    }

    /** XᵀDXP in double. P: [d, q], whose precision is that of the products. */
    Tensor times(Tensor P) {
        Precision precision = Placement.of(P).precision();
        Tensor sum = torch.zeros(new long[] {P.size(0), P.size(1)}, DOUBLE.options());
        try (Scope scope = Scope.open()) {
            Placement placement = Placement.cpu(precision);
            Tensor few = precision == Precision.FLOAT
                    ? torch.zeros(new long[] {P.size(0), P.size(1)}, placement.options())
                    : sum;
            each(precision, end, (from, to, X) -> {
                Tensor T = X.matmul(P);
                T.mul_(weights(from, to, placement).unsqueeze(1));
                few.addmm_(X.t(), T);
                boolean full = from / blockRows % FLOAT_BLOCKS == FLOAT_BLOCKS - 1 || to >= end;
                if (precision == Precision.FLOAT && full) {
                    sum.add_(few);
                    few.zero_();
                }
            });
        }
        return sum;
    }

    /** XᵀDX in double: [d, d]. */
    Tensor moments() {
        Tensor sum = torch.zeros(new long[] {length(), length()}, DOUBLE.options());
        each(Precision.DOUBLE, end, (from, to, X) -> {
            Tensor weighted = X.mul(weights(from, to, DOUBLE).unsqueeze(1));
            sum.addmm_(weighted.t(), X);
        });
        return sum;
    }

    /** XᵀDY in double: [d, c]. Y: [rows of the source, c], double. */
    Tensor correlation(Tensor Y) {
        Tensor sum = torch.zeros(new long[] {length(), Y.size(1)}, DOUBLE.options());
        each(Precision.DOUBLE, end, (from, to, X) -> {
            Tensor weighted =
                    Y.narrow(0, from, to - from).mul(weights(from, to, DOUBLE).unsqueeze(1));
            sum.addmm_(X.t(), weighted);
        });
        return sum;
    }

    /** The weighted mean of the rows of Y that are fitted to: [c]. */
    Tensor meanOf(Tensor Y) {
        return weights(0, source.count(), DOUBLE).matmul(Y).div_(scalar(total));
    }

    /** (x − mean)ᵀW in double for some rows, in ascending order, fitted to or not. W: [d, q], float. */
    Tensor products(Tensor W, int[] some) {
        Tensor found = torch.zeros(new long[] {some.length, W.size(1)}, DOUBLE.options());
        if (some.length > 0) {
            int[] next = {0};
            each(Precision.FLOAT, some[some.length - 1] + 1L, (from, to, X) -> {
                int first = next[0];
                while (next[0] < some.length && some[next[0]] < to) {
                    next[0]++;
                }
                if (next[0] > first) {
                    long[] places = new long[next[0] - first];
                    for (int i = 0; i < places.length; i++) {
                        places[i] = some[first + i] - from;
                    }
                    Tensor chosen = places.length == to - from ? X : X.index_select(0, torch.tensor(places));
                    found.narrow(0, first, places.length).copy_(chosen.matmul(W));
                }
            });
        }
        return found;
    }

    /** About this number of the rows that are fitted to, evenly spread, relative to the mean, times √w: [r, d], float. */
    Tensor sample(long about) {
        long stride = Math.max(1, count / about);
        int[] rows = IntStream.range(0, (int) end).filter(fitted).toArray();
        int taken = (int) ((rows.length - 1) / stride + 1);
        Tensor sample = TensorBytes.allocate(TensorType.F32, taken, length());
        try (Scope scope = Scope.open()) {
            Tensor origin = Placement.of(sample).place(mean);
            for (int i = 0; i < taken; i++) {
                try (Scope step = Scope.open()) {
                    int row = rows[(int) (i * stride)];
                    double root = Math.sqrt(weights.select(0, row).item_double());
                    sample.narrow(0, i, 1)
                            .copy_(source.rows(row, row + 1L))
                            .sub_(origin)
                            .mul_(scalar(root));
                }
            }
        }
        return sample;
    }

    /** The weight of a row that is fitted to, 0 for another: [to − from]. */
    private Tensor weights(long from, long to, Placement placement) {
        return placement.place(weights.narrow(0, from, to - from));
    }

    /** Rows as the source gives them, which must be finite. */
    private Tensor asked(long from, long to) {
        Tensor rows = source.rows(from, to, buffer);
        return RowBlocks.checked(rows, from, to, source.length());
    }

    @Override
    public void close() {
        Scope.disown(buffer);
        Scope.disown(mean);
        Scope.disown(weights);
    }
}
