package io.github.gramian.backbone.weights.internal;

import io.github.gramian.tensor.internal.TensorType;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.bytedeco.pytorch.Tensor;

/** The tensors of an opened foreign file by the names that the file gives them. Closing it ends their readability. */
public final class SourceWeights implements Closeable {

    private final SourceFormat format;
    private final Map<String, SourceTensor> tensors;
    private final Notes notes;
    private final Closeable resource;

    /**
     * What a file contains in addition to its tensors.
     *
     * @param licence as the source states it; empty if it states none
     * @param epsilon of its batch-norms, if the file states it
     * @param skipped entries that are not tensors of the network
     */
    public record Notes(String licence, OptionalDouble epsilon, List<String> skipped) {

        static final Notes NONE = new Notes("", OptionalDouble.empty(), List.of());

        public Notes {
            skipped = List.copyOf(skipped);
        }
    }

    SourceWeights(SourceFormat format, Map<String, SourceTensor> tensors, Notes notes, Closeable resource) {
        this.format = format;
        this.tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
        this.notes = notes;
        this.resource = resource;
    }

    public SourceFormat format() {
        return format;
    }

    public Map<String, SourceTensor> tensors() {
        return tensors;
    }

    public Notes notes() {
        return notes;
    }

    @Override
    public void close() throws IOException {
        resource.close();
    }

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
}
