package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.internal.Layers.Convolution;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.jspecify.annotations.Nullable;

/**
 * The features of one photograph, computed from strips of its rows. Every layer stores the last rows of its input, which its next
 * output rows need as well. So each value is computed once, as in one pass over the whole photograph, and memory depends on the
 * width of the photograph but not on its height.
 *
 * <p>Convolutional networks only: a position of a vision transformer needs all others. For one thread.
 */
public final class RowStream implements AutoCloseable {

    private final List<Stage> stages = new ArrayList<>();
    private final Placement placement;
    private final Placement first;

    /** Gets the rows of features that a strip has completed. */
    @FunctionalInterface
    public interface Receiver {

        /**
         * Uses some rows.
         *
         * @param step number of the step whose features these are
         * @param rows [1, channels, rows, width], at least one; valid during the call
         */
        void take(int step, Tensor rows);
    }

    /**
     * For the first steps of a network.
     *
     * @param first where the first step runs
     * @param placement where all others run
     * @throws IllegalArgumentException if a step needs the whole photograph
     */
    public RowStream(List<Step> steps, WeightTable weights, Placement first, Placement placement) {
        this.first = first;
        this.placement = placement;
        steps.forEach(step -> stages.add(stage(step, weights)));
    }

    /**
     * Computes what the next strip completes.
     *
     * @param strip [1, 3, rows, width] that follow the last strip; any number of rows
     * @param last whether the photograph ends with this strip
     */
    public void push(Tensor strip, boolean last, Receiver receiver) {
        @Nullable Tensor current;
        try (Scope scope = Scope.open()) {
            current = Scope.own(first.place(strip).contiguous(MemoryFormat.ChannelsLast));
        }
        try {
            for (int step = 0; step < stages.size(); step++) {
                @Nullable Tensor next = null;
                try (Scope scope = Scope.open()) {
                    @Nullable Tensor rows = stages.get(step).push(current, last);
                    if (rows != null) {
                        next = Scope.own(placement.place(rows));
                        receiver.take(step, next);
                    }
                } finally {
                    disown(current);
                    current = next;
                }
            }
        } finally {
            disown(current);
        }
    }

    private static void disown(@Nullable Tensor tensor) {
        if (tensor != null) {
            Scope.disown(tensor);
        }
    }

    /** Frees the rows that layers have stored. */
    @Override
    public void close() {
        stages.forEach(Stage::close);
    }

    private static Stage stage(Step step, WeightTable weights) {
        if (step instanceof Step.Convolved convolved) {
            return new Sliding(convolved.convolution(), weights).then(torch::relu_);
        }
        if (step instanceof Step.Pooled pooled) {
            // A pool follows a ReLU, so zeros around the map have the same effect as −∞.
            return new Sliding(pooled.kernel(), Step.Pooled.STRIDE, pooled.padding(), pooled::ofRows);
        }
        if (step instanceof Step.Residual residual) {
            List<Stage> path = new ArrayList<>();
            for (Convolution convolution : residual.path()) {
                boolean ends = path.size() == residual.path().size() - 1;
                Sliding sliding = new Sliding(convolution, weights);
                path.add(ends ? sliding : sliding.then(torch::relu_));
            }
            Stage shortcut =
                    residual.shortcut() == null ? new Chain(List.of()) : new Sliding(residual.shortcut(), weights);
            return new Joined(new Chain(path), shortcut, (y, x) -> torch.relu_(y.add_(x)));
        }
        if (step instanceof Step.Stem stem) {
            return new Sliding(stem.patches(), weights).then(rows -> stem.norm().ofMaps(rows, weights));
        }
        if (step instanceof Step.ConvNextBlock block) {
            Stage joined = new Joined(
                    new Sliding(block.depthwise(), weights),
                    new Chain(List.of()),
                    (mixed, x) -> block.added(mixed, x, weights));
            Step.ConvNextBlock.Halving halving = block.halving();
            return halving == null ? joined : new Chain(List.of(stage(halving, weights), joined));
        }
        throw new IllegalArgumentException("the layer '" + step.tap().name()
                + "' needs the whole photograph at once; take features from an earlier layer, or use a convolutional"
                + " network such as resnet50");
    }

    private static Stage stage(Step.ConvNextBlock.Halving halving, WeightTable weights) {
        Convolution half = halving.convolution();
        return new Sliding(
                half.kernel(),
                half.stride(),
                half.padding(),
                rows -> half.ofRows(halving.norm().ofMaps(rows, weights), weights));
    }

    /** A part of the network that takes rows and gives the rows that have become complete. */
    private interface Stage {

        /**
         * Takes the next rows.
         *
         * @param rows null for none
         * @return null for none; in the caller's scope
         */
        @Nullable
        Tensor push(@Nullable Tensor rows, boolean last);

        /** Frees what is stored. */
        void close();
    }

    /** Stages one after another; with none of them, rows pass unchanged. */
    private record Chain(List<Stage> stages) implements Stage {

        @Override
        public @Nullable Tensor push(@Nullable Tensor rows, boolean last) {
            @Nullable Tensor current = rows;
            for (Stage stage : stages) {
                current = stage.push(current, last);
            }
            return current;
        }

        @Override
        public void close() {
            stages.forEach(Stage::close);
        }
    }

    /** Rows that wait for later ones; it owns them. */
    private static final class Waiting {

        private @Nullable Tensor rows;

        /** What waits, followed by these rows; nothing waits afterwards. */
        @Nullable
        Tensor followedBy(List<Tensor> more) {
            List<Tensor> all = new ArrayList<>();
            if (rows != null) {
                all.add(Scope.share(rows));
                clear();
            }
            all.addAll(more);
            if (all.isEmpty()) {
                return null;
            }
            return all.size() == 1 ? all.get(0) : torch.cat(new TensorVector(all.toArray(Tensor[]::new)), 2);
        }

        /** Stores the rows from this one on. */
        void store(Tensor from, long start) {
            long count = from.size(2) - start;
            if (count > 0) {
                // A copy, since a part of a tensor would hold the memory of all of it.
                rows = Scope.own(from.narrow(2, start, count).clone());
            }
        }

        void clear() {
            disown(rows);
            rows = null;
        }
    }

    /** An operation on windows of rows: a convolution or a pool. The operation pads columns, and this class pads rows. */
    private static final class Sliding implements Stage {

        private final int kernel;
        private final int stride;
        private final int padding;
        private final UnaryOperator<Tensor> operation;
        private final Waiting waiting = new Waiting();
        private boolean started;

        /** Rows to come that no window looks at, since the stride is larger than the kernel. */
        private long skip;

        Sliding(int kernel, int stride, int padding, UnaryOperator<Tensor> operation) {
            this.kernel = kernel;
            this.stride = stride;
            this.padding = padding;
            this.operation = operation;
        }

        Sliding(Convolution convolution, WeightTable weights) {
            this(
                    convolution.kernel(),
                    convolution.stride(),
                    convolution.padding(),
                    rows -> convolution.ofRows(rows, weights));
        }

        Sliding then(UnaryOperator<Tensor> after) {
            return new Sliding(kernel, stride, padding, rows -> after.apply(operation.apply(rows)));
        }

        @Override
        public @Nullable Tensor push(@Nullable Tensor rows, boolean last) {
            @Nullable Tensor all = waiting.followedBy(padded(rows, last));
            if (all == null) {
                return null;
            }
            long start = Math.min(skip, all.size(2));
            skip -= start;
            long count = all.size(2) - start;
            if (count < kernel) {
                waiting.store(all, start);
                return null;
            }
            long outputs = (count - kernel) / stride + 1;
            long next = start + outputs * stride;
            waiting.store(all, Math.min(next, all.size(2)));
            skip += Math.max(0, next - all.size(2));
            return operation.apply(all.narrow(2, start, (outputs - 1) * stride + kernel));
        }

        /** With zeros above the first row and below the last. */
        private List<Tensor> padded(@Nullable Tensor rows, boolean last) {
            @Nullable Tensor like = rows == null ? waiting.rows : rows;
            if (like == null || (rows == null && !last)) {
                return List.of();
            }
            List<Tensor> all = new ArrayList<>();
            if (!started && padding > 0) {
                all.add(zeros(like));
            }
            started = true;
            if (rows != null) {
                all.add(rows);
            }
            if (last && padding > 0) {
                all.add(zeros(like));
            }
            return all;
        }

        private Tensor zeros(Tensor like) {
            return torch.zeros(new long[] {1, like.size(1), padding, like.size(3)}, like.options())
                    .contiguous(MemoryFormat.ChannelsLast);
        }

        @Override
        public void close() {
            waiting.clear();
        }
    }

    /** join(path(x), shortcut(x)). Rows of the shortcut wait for those of the path, which looks at rows below them. */
    private static final class Joined implements Stage {

        private final Stage path;
        private final Stage shortcut;
        private final BinaryOperator<Tensor> join;
        private final Waiting waiting = new Waiting();

        Joined(Stage path, Stage shortcut, BinaryOperator<Tensor> join) {
            this.path = path;
            this.shortcut = shortcut;
            this.join = join;
        }

        @Override
        public @Nullable Tensor push(@Nullable Tensor rows, boolean last) {
            @Nullable Tensor direct = shortcut.push(rows, last);
            @Nullable Tensor all = waiting.followedBy(direct == null ? List.of() : List.of(direct));
            @Nullable Tensor computed = path.push(rows, last);
            if (all == null || computed == null) {
                if (all != null) {
                    waiting.store(all, 0);
                }
                return null;
            }
            waiting.store(all, computed.size(2));
            return join.apply(computed, all.narrow(2, 0, computed.size(2)));
        }

        @Override
        public void close() {
            path.close();
            shortcut.close();
            waiting.clear();
        }
    }
}
