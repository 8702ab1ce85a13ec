package io.github.gramian.backbone.weights.internal;

import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** A tensor in a foreign file: described and checked, but not read before {@link #load}. */
public record SourceTensor(TensorType type, List<Long> shape, Content content) {

    /** Reads the values. */
    @FunctionalInterface
    public interface Content {
        Tensor read() throws IOException;
    }

    public SourceTensor {
        shape = List.copyOf(shape);
    }

    /** A tensor of {@link #type} and {@link #shape} in the current scope. */
    public Tensor load() throws IOException {
        return content.read();
    }
}
