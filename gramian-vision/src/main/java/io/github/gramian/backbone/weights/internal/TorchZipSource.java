package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * PyTorch's files since 1.6: a zip without compression that holds {@code data.pkl} and one entry per storage. Since nothing is
 * compressed, no entry can be larger than the file, and one that claims to be is refused.
 */
public final class TorchZipSource {

    /** The pickle of a state dict has about 100 bytes per tensor. */
    public static final int MAX_PICKLE = 16 << 20;

    private static final String PICKLE = "data.pkl";

    private static final Pattern CODE = Pattern.compile("(?:[^/]+/)?code/.*");

    private TorchZipSource() {}

    /** Whether a file is a TorchScript archive, whose code runs when it is loaded; reads names only. */
    public static boolean holdsCode(Path path) throws IOException {
        if (!SourceFormat.isZip(path)) {
            return false;
        }
        try (ZipFile zip = openZip(path)) {
            return zip.stream().anyMatch(entry -> CODE.matcher(entry.getName()).matches());
        }
    }

    static SourceWeights open(Path path) throws IOException {
        ZipFile zip = openZip(path);
        try {
            checkSizes(zip, Files.size(path));
            String folder = folder(zip);
            PickleReader pickle = new PickleReader(
                    new PickleInput(ByteBuffer.wrap(small(zip, entry(zip, folder + PICKLE), MAX_PICKLE))));
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
}
