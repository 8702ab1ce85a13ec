package io.github.gramian.backbone.weights;

import io.github.gramian.tensor.TensorType;
import java.io.IOException;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** A tensor in a foreign file: described and checked, but not read before {@link #load}. */
record SourceTensor(TensorType type, List<Long> shape, Content content) {

    /** Reads the numbers. */
    @FunctionalInterface
    interface Content {
        Tensor read() throws IOException;
    }

    SourceTensor {
        shape = List.copyOf(shape);
    }

    /** A tensor of {@link #type} and {@link #shape} in the current scope. */
    Tensor load() throws IOException {
        return content.read();
    }

    long[] dimensions() {
        return shape.stream().mapToLong(Long::longValue).toArray();
    }
}
