package io.github.gramian.train.descriptor.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Products over descriptors that need not fit into memory. X is cut into blocks of rows. As many blocks as the budget
 * allows (a panel) are retained while all later blocks pass by, so that with p panels a row is asked for about p/2 times
 * instead of once a block. The results do not depend on the budget, bit for bit.
 *
 * <p>Every row is taken relative to an origin, the mean of the first few rows: descriptors share most of their
 * energy, and products of the common part would lose the differences to float's rounding.
 *
 * <p>Products are computed in the precision of the rows, and stored in double. Owns the retained blocks until it is closed.
 */
public final class RowBlocks implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final long ROWS_OF_ORIGIN = 32;

    private final Descriptors source;
    private final RidgeConfig config;
    private final Map<Integer, Tensor> cached = new TreeMap<>();
    private final Tensor origin;
    private final int blocks;
    private final int panel;

    public RowBlocks(Descriptors source, RidgeConfig config) {
        this.source = source;
        this.config = config;
        this.blocks = Math.toIntExact((source.count() - 1) / config.blockRows() + 1);
        int bytes;
        try (Scope scope = Scope.open()) {
            Tensor few = asked(0, Math.min(ROWS_OF_ORIGIN, source.count()));
            bytes = few.element_size() > 4 ? 8 : 4;
            Tensor first = few.narrow(0, 0, 1);
            // Relative to the first row, so that rows that are all alike have exactly their row as their mean.
            this.origin = Scope.own(few.sub(first).mean(0).add(first.squeeze(0)));
        }
        double blockBytes = (double) config.blockRows() * source.length() * bytes;
        this.panel = (int) Math.max(1, Math.min(blocks, config.memoryBudget() / blockBytes));
    }

    /** (X − origin)(X − origin)ᵀ in double: [n, n]. */
    public Tensor gram() {
        Tensor G = torch.zeros(new long[] {source.count(), source.count()}, DOUBLE.options());
        for (int first = 0; first < blocks; first += panel) {
            forget();
            int last = Math.min(blocks, first + panel);
            for (int i = first; i < blocks; i++) {
                try (Scope step = Scope.open()) {
                    Tensor X = block(i);
                    if (i < last) {
                        cached.put(i, Scope.own(X));
                    }
                    try (Blas.AllThreads span = Blas.allThreads()) {
                        multiply(i, X, G);
                    }
                }
            }
        }
        return G;
    }

    /** The products of block i with every retained block up to it, on both sides of the diagonal. */
    private void multiply(int i, Tensor X, Tensor G) {
        for (Map.Entry<Integer, Tensor> entry : cached.entrySet()) {
            int j = entry.getKey();
            Tensor product = DOUBLE.place(X.matmul(entry.getValue().t()));
            if (i == j) {
                product = product.add(product.t()).mul(scalar(0.5));
            }
            part(G, i, j).copy_(product);
            if (i != j) {
                part(G, j, i).copy_(product.t());
            }
        }
    }

    private Tensor part(Tensor G, int i, int j) {
        return G.narrow(0, from(i), to(i) - from(i)).narrow(1, from(j), to(j) - from(j));
    }

    /** αᵀ(X − origin) in double: [c, length]. alpha: [m, c] for the first m rows; the others have no weight. */
    public Tensor weights(Tensor alpha) {
        Tensor sum = torch.zeros(new long[] {alpha.size(1), source.length()}, DOUBLE.options());
        for (int i = 0; i < blocks; i++) {
            long weighted = Math.min(to(i), alpha.size(0)) - from(i);
            if (weighted > 0) {
                try (Scope step = Scope.open()) {
                    Tensor held = cached.get(i);
                    Tensor X = (held == null ? block(i) : held).narrow(0, 0, weighted);
                    Tensor share = Placement.of(X).place(alpha.narrow(0, from(i), weighted));
                    sum.add_(DOUBLE.place(share.t().matmul(X)));
                }
            }
        }
        return sum;
    }

    /** The origin that is subtracted from every row: [length]. */
    public Tensor origin() {
        return DOUBLE.place(origin);
    }

    private Tensor block(int i) {
        return asked(from(i), to(i)).sub(origin);
    }

    private Tensor asked(long from, long to) {
        return checked(source.rows(from, to), from, to, source.length());
    }

    /** Rows from … to in float or double, if they have the shape they should have and are finite. */
    public static Tensor checked(Tensor rows, long from, long to, long length) {
        if (rows.dim() != 2 || rows.size(0) != to - from || rows.size(1) != length) {
            throw new IllegalStateException("rows " + from + " to " + to + " should have the shape [" + (to - from)
                    + ", " + length + "]; correct the source of descriptors");
        }
        Precision precision = rows.element_size() > 4 ? Precision.DOUBLE : Precision.FLOAT;
        Tensor values = Placement.cpu(precision).place(rows.detach());
        if (!values.isfinite().all().item_bool()) {
            long bad = values.isfinite().all(1).logical_not().nonzero().min().item_long();
            throw new IllegalArgumentException(
                    "the descriptor of row " + (from + bad)
                            + " holds NaN or infinity; look for a broken image or broken weights, or raise the network's epsilon");
        }
        return values;
    }

    private long from(int block) {
        return (long) block * config.blockRows();
    }

    private long to(int block) {
        return Math.min(source.count(), from(block) + config.blockRows());
    }

    private void forget() {
        cached.values().forEach(Scope::disown);
        cached.clear();
    }

    @Override
    public void close() {
        forget();
        Scope.disown(origin);
    }
}
