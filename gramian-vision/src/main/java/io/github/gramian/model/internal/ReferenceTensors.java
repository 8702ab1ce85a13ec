package io.github.gramian.model.internal;

import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter.Planned;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/** A {@link ModelReference} among the tensors of a model file. */
final class ReferenceTensors {

    private ReferenceTensors() {}

    /** Adds the arrays of a reference to the tensors of a model. */
    static void add(ModelReference reference, Map<String, Planned> tensors) {
        reference.arrays().forEach((name, array) -> tensors.put(name, planned(array)));
    }

    private static Planned planned(StoredArray array) {
        TensorType type = TensorType.valueOf(array.type().name());
        List<Long> shape = Arrays.stream(array.shape()).boxed().toList();
        return new Planned(type, shape, () -> {
            Tensor tensor = TensorBytes.allocate(type, array.shape());
            TensorBytes.memory(tensor).put(array.bytes());
            return tensor;
        });
    }

    /**
     * Reads a reference from a model's file.
     *
     * @throws IllegalArgumentException if it is damaged or too large
     */
    static ModelReference read(SafetensorsFile file) throws IOException {
        Map<String, StoredArray> arrays = new TreeMap<>();
        long left = StoredArray.MAX_BYTES;
        for (TensorEntry entry : file.entries()) {
            Optional<StoredArray.Type> type = type(entry);
            if (ModelReference.isOwn(entry.name()) && type.isPresent()) {
                long[] shape = entry.shape().stream().mapToLong(Long::longValue).toArray();
                left -= entry.type().bytesOf(shape);
                if (left < 0) {
                    throw new IllegalArgumentException(
                            "its reference has more than " + StoredArray.MAX_BYTES + " bytes");
                }
                byte[] bytes = file.bytes(entry.name()).array();
                arrays.put(entry.name(), new StoredArray(type.get(), shape, bytes));
            }
        }
        return ModelReference.of(arrays);
    }

    private static Optional<StoredArray.Type> type(TensorEntry entry) {
        return Arrays.stream(StoredArray.Type.values())
                .filter(type -> type.name().equals(entry.type().name()))
                .findFirst();
    }
}
