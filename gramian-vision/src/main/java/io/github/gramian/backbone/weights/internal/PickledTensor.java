package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * A tensor as a pickle describes it: a view on a storage. It is checked when it is made, so that reading it touches only its
 * storage and never allocates more than the storage holds.
 */
record PickledTensor(PickledStorage storage, long offset, List<Long> sizes, List<Long> strides) {

    private static final int MAX_DIMENSIONS = 16;

    /** Reads elements {@code offset … offset + count − 1} of the storage as a vector. */
    @FunctionalInterface
    interface Elements {
        Tensor read(TensorType type, long offset, long count) throws IOException;
    }

    static PickledTensor of(PickledTuple arguments) throws WeightsException {
        if (arguments.get(0) instanceof PickledStorage storage
                && arguments.get(1) instanceof Long offset
                && arguments.get(2) instanceof PickledTuple sizes
                && arguments.get(3) instanceof PickledTuple strides) {
            PickledTensor tensor = new PickledTensor(storage, offset, sizes.integers(), strides.integers());
            tensor.check();
            return tensor;
        }
        throw new WeightsException("the pickle builds a tensor out of something else; the file is damaged or hostile");
    }

    private void check() throws WeightsException {
        boolean fits = offset >= 0 && sizes.size() == strides.size() && sizes.size() <= MAX_DIMENSIONS;
        try {
            // A stride of zero could blow a small storage up into a huge tensor; a saved weight never needs that.
            fits = fits && elements() <= storage.elements() && Math.addExact(offset, span()) <= storage.elements();
        } catch (ArithmeticException e) {
            fits = false;
        }
        if (!fits) {
            throw new WeightsException("the pickle has a tensor of sizes " + sizes + " and strides " + strides
                    + " that does not lie inside its storage of " + storage.elements()
                    + "; the file is damaged or hostile");
        }
    }

    private long elements() {
        return sizes.stream().reduce(1L, Math::multiplyExact);
    }

    /** Elements from the first to the last one that the view touches. */
    private long span() {
        if (sizes.contains(0L)) {
            return 0;
        }
        long last = 0;
        for (int dimension = 0; dimension < sizes.size(); dimension++) {
            last = Math.addExact(last, Math.multiplyExact(sizes.get(dimension) - 1, strides.get(dimension)));
        }
        return last + 1;
    }

    SourceTensor source(Elements elements) {
        return new SourceTensor(storage.type(), sizes, () -> {
            Tensor touched = elements.read(storage.type(), offset, span());
            long[] shape = sizes.stream().mapToLong(Long::longValue).toArray();
            if (touched.numel() == 0) {
                return touched.reshape(shape);
            }
            return touched.as_strided(
                            shape, strides.stream().mapToLong(Long::longValue).toArray())
                    .contiguous();
        });
    }
}
