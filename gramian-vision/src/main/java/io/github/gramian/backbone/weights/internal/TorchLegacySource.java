package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * PyTorch's files before 1.6: five pickles in a row (magic number, protocol, machine, object, list of storage keys) and then
 * each storage as a count and its values, in the order of the list.
 */
final class TorchLegacySource {

    private static final Object MAGIC = new BigInteger("1950a86a20f9469cfc6c", 16);
    private static final Object PROTOCOL = 1001L;

    private TorchLegacySource() {}

    static SourceWeights open(Path path) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return read(file);
        } catch (WeightsException e) {
            file.close();
            throw new WeightsException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    private static SourceWeights read(FileChannel file) throws IOException {
        long mapped = Math.min(file.size(), TorchZipSource.MAX_PICKLE);
        PickleInput in = new PickleInput(file.map(FileChannel.MapMode.READ_ONLY, 0, mapped));
        if (!MAGIC.equals(new PickleReader(in).read()) || !PROTOCOL.equals(new PickleReader(in).read())) {
            throw new WeightsException("is a pickle but not one that torch.save wrote; save the model's state_dict()");
        }
        if (new PickleReader(in).read() instanceof Map<?, ?> machine
                && Boolean.FALSE.equals(machine.get("little_endian"))) {
            throw new WeightsException("was saved on a big-endian machine; save it again on another");
        }
        PickleReader object = new PickleReader(in);
        StateDict dict = StateDict.of(object.read());
        Map<String, Long> starts = starts(file, in, object.storages());
        Map<String, SourceTensor> tensors = new LinkedHashMap<>();
        for (Map.Entry<String, PickledTensor> tensor : dict.tensors().entrySet()) {
            Long start = starts.get(tensor.getValue().storage().key());
            if (start == null) {
                throw new WeightsException("lacks the values of '" + tensor.getKey() + "'; the file is damaged");
            }
            tensors.put(
                    tensor.getKey(),
                    tensor.getValue()
                            .source((type, offset, count) ->
                                    TensorBytes.read(file, start + offset * type.bytes(), type, count)));
        }
        SourceWeights.Notes notes = new SourceWeights.Notes("", OptionalDouble.empty(), dict.skipped());
        return new SourceWeights(SourceFormat.TORCH_LEGACY, tensors, notes, file);
    }

    /** Storage key → first byte of its values, each checked to end inside the file. */
    private static Map<String, Long> starts(FileChannel file, PickleInput in, Map<String, PickledStorage> storages)
            throws IOException {
        if (!(new PickleReader(in).read() instanceof List<?> keys)) {
            throw new WeightsException("lacks its list of storages; the file is damaged");
        }
        Map<String, Long> starts = new HashMap<>();
        long position = in.position();
        for (Object key : keys) {
            PickledStorage storage = key instanceof String name ? storages.get(name) : null;
            if (storage == null || starts.containsKey(storage.key())) {
                throw new WeightsException("lists a storage that its pickle does not define; the file is damaged");
            }
            long count = count(file, position);
            long capacity = (file.size() - position - 8) / storage.type().bytes();
            if (count != storage.elements() || count > capacity) {
                throw new WeightsException("storage " + storage.key() + " should have " + storage.elements()
                        + " values, declares " + count + ", and the file has space for " + capacity
                        + "; it is cut off or damaged, download it again");
            }
            starts.put(storage.key(), position + 8);
            position += 8 + count * storage.type().bytes();
        }
        return starts;
    }

    private static long count(FileChannel file, long position) throws IOException {
        ByteBuffer eight = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        while (eight.hasRemaining() && file.read(eight, position + eight.position()) >= 0) {
            // Channels may read less than asked; continue where it stopped.
        }
        if (eight.hasRemaining()) {
            throw new WeightsException("ends before its last storage; it is cut off, download it again");
        }
        return eight.flip().getLong();
    }
}
