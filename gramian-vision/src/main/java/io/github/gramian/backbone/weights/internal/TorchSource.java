package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.PickleReader.Input;
import io.github.gramian.backbone.weights.internal.PickleReader.PickledStorage;
import io.github.gramian.backbone.weights.internal.PickleReader.PickledTensor;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** The two formats of {@code torch.save}, whose tensors a pickle describes. */
public final class TorchSource {

    /** The pickle of a state dict has about 100 bytes per tensor. */
    public static final int MAX_PICKLE = 16 << 20;

    private static final String PICKLE = "data.pkl";

    private static final Pattern CODE = Pattern.compile("(?:[^/]+/)?code/.*");

    /** What the first two pickles of a legacy file hold. */
    private static final Object MAGIC = new BigInteger("1950a86a20f9469cfc6c", 16);

    private static final Object PROTOCOL = 1001L;

    private TorchSource() {}

    /** Whether a file is a TorchScript archive, whose code runs when it is loaded; reads names only. */
    public static boolean holdsCode(Path path) throws IOException {
        if (!SourceFormat.isZip(path)) {
            return false;
        }
        try (ZipFile zip = openZip(path)) {
            return zip.stream().anyMatch(entry -> CODE.matcher(entry.getName()).matches());
        }
    }

    /**
     * PyTorch's files since 1.6: a zip without compression that holds {@code data.pkl} and one entry per storage. Since nothing is
     * compressed, no entry can be larger than the file, and one that claims to be is refused.
     */
    static SourceWeights zip(Path path) throws IOException {
        ZipFile zip = openZip(path);
        try {
            checkSizes(zip, Files.size(path));
            String folder = folder(zip);
            PickleReader pickle =
                    new PickleReader(new Input(ByteBuffer.wrap(small(zip, entry(zip, folder + PICKLE), MAX_PICKLE))));
            StateDict dict = StateDict.of(pickle.read());
            Map<String, SourceTensor> tensors = new LinkedHashMap<>();
            for (Map.Entry<String, PickledTensor> tensor : dict.tensors().entrySet()) {
                tensors.put(tensor.getKey(), source(zip, folder, tensor.getValue()));
            }
            SourceWeights.Notes notes = new SourceWeights.Notes("", OptionalDouble.empty(), dict.skipped());
            return new SourceWeights(SourceFormat.TORCH_ZIP, tensors, notes, zip);
        } catch (WeightsException e) {
            zip.close();
            throw new WeightsException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException failure) {
            zip.close();
            throw failure;
        }
    }

    private static ZipFile openZip(Path path) throws IOException {
        try {
            return new ZipFile(path.toFile());
        } catch (ZipException | EOFException e) {
            throw new WeightsException(
                    path + " is a broken zip (" + why(e) + "); it is cut off or damaged, download it again", e);
        }
    }

    private static void checkSizes(ZipFile zip, long fileBytes) throws WeightsException {
        long total = 0;
        for (ZipEntry entry : Collections.list(zip.entries())) {
            if (entry.getMethod() != ZipEntry.STORED || entry.getSize() != entry.getCompressedSize()) {
                throw new WeightsException("entry '" + entry.getName()
                        + "' is compressed, which PyTorch never does; save the file again with torch.save");
            }
            if (entry.getSize() < 0 || entry.getSize() > fileBytes - total) {
                throw new WeightsException("its entries claim more bytes than the file has; it is damaged or hostile");
            }
            total += entry.getSize();
        }
    }

    /** The directory in the zip, named after the file it was first saved as. */
    private static String folder(ZipFile zip) throws IOException {
        List<String> pickles = zip.stream()
                .map(ZipEntry::getName)
                .filter(name -> name.equals(PICKLE) || name.endsWith("/" + PICKLE))
                .toList();
        if (pickles.size() != 1) {
            throw new WeightsException(
                    "has " + pickles.size() + " entries data.pkl instead of one; this is not a PyTorch file");
        }
        String pickle = pickles.get(0);
        String folder = pickle.substring(0, pickle.length() - PICKLE.length());
        if (zip.stream().anyMatch(entry -> entry.getName().startsWith(folder + "code/"))) {
            throw new WeightsException(
                    "is a TorchScript archive, which holds code; if you trust it, use it as it is: gramian train"
                            + " --backbone FILE --trust-backbone-code");
        }
        ZipEntry order = zip.getEntry(folder + "byteorder");
        if (order != null && !new String(small(zip, order, 16), StandardCharsets.US_ASCII).equals("little")) {
            throw new WeightsException("was saved on a big-endian machine; save it again on another");
        }
        return folder;
    }

    private static SourceTensor source(ZipFile zip, String folder, PickledTensor tensor) throws WeightsException {
        PickledStorage storage = tensor.storage();
        ZipEntry entry = entry(zip, folder + "data/" + storage.key());
        if (entry.getSize() / storage.type().bytes() < storage.elements()) {
            throw new WeightsException("storage " + storage.key() + " claims " + storage.elements() + " values but has "
                    + entry.getSize() + " bytes; the file is damaged or hostile");
        }
        return tensor.source((type, offset, count) -> {
            try (InputStream in = zip.getInputStream(entry)) {
                in.skipNBytes(offset * type.bytes());
                return TensorBytes.read(Channels.newChannel(in), type, count);
            } catch (ZipException | EOFException e) {
                throw new WeightsException(
                        "storage " + storage.key() + " cannot be read (" + why(e) + "); download the file again", e);
            }
        });
    }

    private static byte[] small(ZipFile zip, ZipEntry entry, int most) throws IOException {
        if (entry.getSize() > most) {
            throw new WeightsException("entry '" + entry.getName() + "' is larger than the " + most
                    + " bytes it may have; the file is rejected");
        }
        try (InputStream in = zip.getInputStream(entry)) {
            return in.readNBytes(most);
        } catch (ZipException | EOFException e) {
            throw new WeightsException("is a broken zip (" + why(e) + "); download it again", e);
        }
    }

    /** The JDK gives no message if a zip refers to bytes after the end of its file. */
    private static String why(IOException broken) {
        String message = broken.getMessage();
        return message == null ? "it refers to bytes after its end" : message;
    }

    private static ZipEntry entry(ZipFile zip, String name) throws WeightsException {
        ZipEntry entry = zip.getEntry(name);
        if (entry == null) {
            throw new WeightsException("lacks the entry '" + name + "'; it is cut off or damaged, download it again");
        }
        return entry;
    }

    /**
     * PyTorch's files before 1.6: five pickles in a row (magic number, protocol, machine, object, list of storage keys) and then
     * each storage as a count and its values, in the order of the list.
     */
    static SourceWeights legacy(Path path) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return readLegacy(file);
        } catch (WeightsException e) {
            file.close();
            throw new WeightsException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    private static SourceWeights readLegacy(FileChannel file) throws IOException {
        long mapped = Math.min(file.size(), MAX_PICKLE);
        Input in = new Input(file.map(FileChannel.MapMode.READ_ONLY, 0, mapped));
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
    private static Map<String, Long> starts(FileChannel file, Input in, Map<String, PickledStorage> storages)
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

    /** Finds the weights in what a pickle holds: a state dict, or a training checkpoint with one inside. */
    record StateDict(Map<String, PickledTensor> tensors, List<String> skipped) {

        private static final List<String> INNER = List.of("state_dict", "model_state_dict", "model", "net");
        private static final String DATA_PARALLEL = "module.";

        static StateDict of(Object root) throws WeightsException {
            if (!(root instanceof Map<?, ?> map)) {
                throw new WeightsException(
                        "the pickle holds no dictionary; save the model's state_dict(), not the model or a single tensor");
            }
            List<String> skipped = new ArrayList<>();
            Map<?, ?> inner = map;
            for (String name : INNER) {
                if (map.get(name) instanceof Map<?, ?> nested) {
                    inner = nested;
                    map.keySet().stream().filter(key -> !key.equals(name)).forEach(key -> skipped.add(key.toString()));
                    break;
                }
            }
            Map<String, PickledTensor> tensors = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : inner.entrySet()) {
                if (entry.getKey() instanceof String name && entry.getValue() instanceof PickledTensor tensor) {
                    tensors.put(name, tensor);
                } else {
                    skipped.add(entry.getKey().toString());
                }
            }
            if (tensors.isEmpty()) {
                throw new WeightsException("the pickle holds no named tensors; save the model's state_dict()");
            }
            return new StateDict(withoutPrefix(tensors), skipped);
        }

        /** A model trained on several devices has "module." before every name. */
        private static Map<String, PickledTensor> withoutPrefix(Map<String, PickledTensor> tensors) {
            if (!tensors.keySet().stream().allMatch(name -> name.startsWith(DATA_PARALLEL))) {
                return tensors;
            }
            Map<String, PickledTensor> renamed = new LinkedHashMap<>();
            tensors.forEach((name, tensor) -> renamed.put(name.substring(DATA_PARALLEL.length()), tensor));
            return renamed;
        }
    }
}
