package io.github.gramian.layer.internal;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.CpuWorkers;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A layer that treats every image by itself, run on a few images at a time by each of several {@link CpuWorkers}. The same
 * results, computed faster: matrices of one image remain in a core's cache from operation to operation, memory is used again
 * for the next image, and no thread waits for another.
 *
 * <p>On a GPU, and for images so few and small that they fit into a core's cache together, the layer runs as it is.
 *
 * @param layer whose {@link Layer#isPerSample} holds
 * @param matrixSize C of the largest matrix C×C that it makes of an image
 */
public record PerSampleLayer(Layer layer, long matrixSize) implements Layer {

    /** Elements in the largest matrix of a few images: 1 MiB of float, half of what the cache of a core holds today. */
    private static final long NUMBERS_AT_ONCE = 1 << 18;

    /** The same on small machines whatever their number of threads, and with it the order of additions. */
    private static final int FEWEST_TASKS = 8;

    public PerSampleLayer {
        if (!layer.isPerSample()) {
            throw new IllegalArgumentException("a layer that looks at the whole batch cannot run image by image");
        }
    }

    @Override
    public Pass forward(Tensor maps, Phase phase) {
        long images = maps.size(0);
        long atOnce = imagesAtOnce(maps);
        if (images <= atOnce || !maps.device().is_cpu()) {
            return layer.forward(maps, phase);
        }
        Portions portions = Portions.of(images, atOnce);
        Pass[] passes = new Pass[portions.count()];
        Tensor output = portions.gather(true, i -> {
            passes[i] = layer.forward(portions.slice(maps, i), phase);
            return passes[i].output();
        });
        return Pass.of(output, gradient -> backward(passes, portions, gradient));
    }

    private Tensor backward(Pass[] passes, Portions portions, Tensor gradient) {
        Tensor result = portions.gather(false, i -> passes[i].backward(portions.slice(gradient, i)));
        parameters().forEach(Parameter::collectTasks);
        return result;
    }

    /** The kernel matrix and the maps are what is large about an image. */
    private long imagesAtOnce(Tensor maps) {
        long largest = Math.max(matrixSize * matrixSize, maps.numel() / maps.size(0));
        return Math.max(1, NUMBERS_AT_ONCE / largest);
    }

    /** Images 0, 1, … cut into portions of a size, and these into tasks. */
    private record Portions(long images, long size, int tasks) {

        static Portions of(long images, long size) {
            int portions = (int) ((images + size - 1) / size);
            return new Portions(images, size, Math.min(portions, Math.max(FEWEST_TASKS, 2 * CpuWorkers.count())));
        }

        int count() {
            return (int) ((images + size - 1) / size);
        }

        Tensor slice(Tensor all, int portion) {
            long first = portion * size;
            return all.narrow(0, first, Math.min(size, images - first));
        }

        /**
         * The results of all portions, one below the other.
         *
         * @param keep whether what the work makes lives on with the scope of the calling thread, not only until the
         *     portion is done
         */
        Tensor gather(boolean keep, IntFunction<Tensor> work) {
            Rows rows = new Rows(images);
            Scope[] scopes = new Scope[count()];
            try {
                CpuWorkers.run(tasks, task -> {
                    for (int i = task * count() / tasks; i < (task + 1) * count() / tasks; i++) {
                        Scope scope = Scope.open();
                        try {
                            Tensor result = work.apply(i);
                            slice(rows.like(result), i).copy_(result);
                        } finally {
                            scopes[i] = scope;
                            scope.lend();
                            if (!keep) {
                                scope.close();
                            }
                        }
                    }
                });
                return rows.take();
            } finally {
                rows.close();
                for (Scope scope : scopes) {
                    if (keep && scope != null) {
                        Scope.adopt(scope);
                    }
                }
            }
        }
    }

    /** The tensor that results are copied to; made when the first one shows what it looks like. */
    private static final class Rows implements AutoCloseable {
        private final long count;
        private @Nullable Tensor all;

        Rows(long count) {
            this.count = count;
        }

        synchronized Tensor like(Tensor rows) {
            if (all == null) {
                long[] shape = rows.sizes().vec().get();
                shape[0] = count;
                try (Scope scope = Scope.open()) {
                    all = Scope.own(rows.new_empty(shape));
                }
            }
            return all;
        }

        /** A handle in the scope of the calling thread. */
        synchronized Tensor take() {
            return new Tensor(Objects.requireNonNull(all));
        }

        @Override
        public synchronized void close() {
            if (all != null) {
                Scope.disown(all);
            }
        }
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public List<Parameter> parameters() {
        return layer.parameters();
    }

    @Override
    public void close() {
        layer.close();
    }
}
