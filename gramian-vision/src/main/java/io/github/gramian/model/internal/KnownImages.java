package io.github.gramian.model.internal;

import io.github.gramian.model.ModelException;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter.Planned;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * The images that a model's training has used, for training or for validation: scores on them are too optimistic. An image
 * is identified by the first 8 bytes of the SHA-256 of its file, wherever the file lies and whatever it is called. By
 * chance, one of a thousand other images is taken for one of a million known ones with a probability of 5e−11.
 *
 * <p>Of more than {@link #MAX} images those with the smallest hashes are stored: a random sample.
 */
public final class KnownImages {

    /** 16 MiB of a model file. */
    static final int MAX = 1 << 21;

    private static final String TENSOR = "training/images";
    private static final int DIGITS = 2 * Long.BYTES;

    private final long[] sums;

    private KnownImages(long[] sorted) {
        this.sums = sorted;
    }

    /** Of a model that was never trained. */
    public static KnownImages none() {
        return new KnownImages(new long[0]);
    }

    /** Images by the SHA-256 of their files, in hexadecimal. */
    public static KnownImages of(Collection<String> sha256s) {
        return new KnownImages(sha256s.stream()
                .mapToLong(KnownImages::start)
                .sorted()
                .distinct()
                .limit(MAX)
                .toArray());
    }

    private static long start(String sha256) {
        return Long.parseUnsignedLong(sha256.substring(0, DIGITS), 16);
    }

    /** Whether training has used an image with this content. */
    public boolean contains(String sha256) {
        return Arrays.binarySearch(sums, start(sha256)) >= 0;
    }

    public int count() {
        return sums.length;
    }

    /** Adds them to the tensors of a model, if there are any. */
    public void addTo(Map<String, Planned> tensors) {
        if (sums.length > 0) {
            tensors.put(TENSOR, new Planned(TensorType.I64, List.of((long) sums.length), this::tensor));
        }
    }

    private Tensor tensor() {
        Tensor tensor = TensorBytes.allocate(TensorType.I64, sums.length);
        TensorBytes.memory(tensor).order(ByteOrder.nativeOrder()).asLongBuffer().put(sums);
        return tensor;
    }

    /** Reads them from a model's file. */
    public static KnownImages read(SafetensorsFile file) throws IOException {
        if (!file.contains(TENSOR)) {
            return none();
        }
        TensorEntry entry = file.entry(TENSOR);
        if (entry.type() != TensorType.I64 || entry.shape().size() != 1 || entry.elements() > MAX) {
            throw new ModelException("the list of images that the model was trained on is not one of at most " + MAX
                    + " values; copy or train it again");
        }
        LongBuffer stored = file.bytes(TENSOR).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        long[] sums = new long[stored.remaining()];
        stored.get(sums);
        Arrays.sort(sums);
        return new KnownImages(sums);
    }
}
