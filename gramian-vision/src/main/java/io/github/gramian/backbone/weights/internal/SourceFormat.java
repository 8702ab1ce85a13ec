package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.image.internal.ImageTitle;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The forms in which weights are published, distinguished by their first bytes and never by their names. */
public enum SourceFormat {
    SAFETENSORS("safetensors", false, SourceFormat::safetensors),
    TORCH_ZIP("PyTorch zip", false, TorchSource::zip),
    TORCH_LEGACY("PyTorch legacy pickle", false, TorchSource::legacy),
    KERAS_H5("Keras HDF5", true, KerasSource::open),
    TFJS_FOLDER("tfjs layers model", true, TfjsSource::openFolder),
    TFJS_ARCHIVE("tfjs layers model in a .tgz", true, TfjsSource::openArchive);

    /** Opens a file or directory of one format. */
    @FunctionalInterface
    private interface Reader {
        SourceWeights open(Path source) throws IOException;
    }

    private static final byte[] ZIP = {'P', 'K', 3, 4};
    private static final byte[] PICKLE = {(byte) 0x80};
    private static final byte[] HDF5 = {(byte) 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};
    private static final int HEAD = 9;

    private final String title;
    private final boolean keras;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final Reader reader;

    SourceFormat(String title, boolean keras, Reader reader) {
        this.title = title;
        this.keras = keras;
        this.reader = reader;
    }

    /** Its name for people and metadata. */
    public String title() {
        return title;
    }

    /** Whether names and layouts are Keras'; otherwise they are PyTorch's. */
    public boolean isKeras() {
        return keras;
    }

    /** Opens a file or directory in any of these formats. */
    public static SourceWeights open(Path source) throws IOException {
        return of(source).reader.open(source);
    }

    /** Recognises the format of a file or directory. */
    public static SourceFormat of(Path source) throws IOException {
        if (!Files.exists(source)) {
            throw new NoSuchFileException(source.toString());
        }
        Optional<SourceFormat> format = recognise(source);
        if (format.isPresent()) {
            return format.get();
        }
        Optional<String> image = ImageTitle.of(source);
        if (image.isPresent()) {
            throw new WeightsException(source + " is " + image.get() + ", not a file with weights");
        }
        throw new WeightsException(source + " is in no known format; use safetensors, a PyTorch .pth, a Keras .h5"
                + " or a tfjs layers model (directory or .tgz)");
    }

    /** The format of a file or directory that exists; empty if it is none of these. */
    public static Optional<SourceFormat> recognise(Path source) throws IOException {
        if (Files.isDirectory(source) || source.endsWith("model.json")) {
            return Optional.of(TFJS_FOLDER);
        }
        byte[] head = head(source);
        if (starts(head, ZIP)) {
            return Optional.of(TORCH_ZIP);
        }
        if (starts(head, HDF5)) {
            return Optional.of(KERAS_H5);
        }
        if (starts(head, GZIP)) {
            return Optional.of(TFJS_ARCHIVE);
        }
        if (head.length == HEAD && head[HEAD - 1] == '{') {
            return Optional.of(SAFETENSORS);
        }
        if (starts(head, PICKLE)) {
            return Optional.of(TORCH_LEGACY);
        }
        return Optional.empty();
    }

    private static SourceWeights safetensors(Path path) throws IOException {
        SafetensorsFile file = SafetensorsFile.open(path);
        Map<String, SourceTensor> tensors = new LinkedHashMap<>();
        for (TensorEntry entry : file.entries()) {
            tensors.put(entry.name(), new SourceTensor(entry.type(), entry.shape(), () -> file.tensor(entry.name())));
        }
        return new SourceWeights(SourceFormat.SAFETENSORS, tensors, SourceWeights.Notes.NONE, file::close);
    }

    /** Whether it is a file that begins as a zip does. */
    static boolean isZip(Path source) throws IOException {
        return Files.isRegularFile(source) && starts(head(source), ZIP);
    }

    private static byte[] head(Path source) throws IOException {
        try (InputStream in = Files.newInputStream(source)) {
            return in.readNBytes(HEAD);
        }
    }

    private static boolean starts(byte[] head, byte[] magic) {
        return head.length >= magic.length && Arrays.equals(Arrays.copyOf(head, magic.length), magic);
    }
}
