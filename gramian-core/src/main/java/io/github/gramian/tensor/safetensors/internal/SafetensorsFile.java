package io.github.gramian.tensor.safetensors.internal;

import io.github.gramian.io.internal.FilePart;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * An open safetensors file. Opening reads and checks the header only; {@link #tensor} copies the bytes of one tensor, so a
 * tensor belongs to the caller's scope and outlives the file. Files of any size; safe for several threads.
 */
public final class SafetensorsFile implements AutoCloseable {

    private final Path path;
    private final FileChannel channel;
    private final SafetensorsHeader header;
    private final long dataStart;

    private SafetensorsFile(Path path, FileChannel channel, SafetensorsHeader header, long dataStart) {
        this.path = path;
        this.channel = channel;
        this.header = header;
        this.dataStart = dataStart;
    }

    /**
     * Opens a file and checks its whole header.
     *
     * @throws SafetensorsException if the file is not exactly what the format demands
     */
    public static SafetensorsFile open(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            long size = channel.size();
            long headerBytes = headerLength(channel, size);
            ByteBuffer text = channel.map(FileChannel.MapMode.READ_ONLY, SafetensorsHeader.PREFIX, headerBytes);
            long dataStart = SafetensorsHeader.PREFIX + headerBytes;
            return new SafetensorsFile(path, channel, SafetensorsHeader.parse(text, size - dataStart), dataStart);
        } catch (SafetensorsException e) {
            channel.close();
            throw new SafetensorsException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    private static long headerLength(FileChannel channel, long size) throws IOException {
        if (size < SafetensorsHeader.PREFIX + 2) {
            throw new SafetensorsException("only " + size + " bytes long; the file is empty or cut off");
        }
        ByteBuffer prefix = channel.map(FileChannel.MapMode.READ_ONLY, 0, SafetensorsHeader.PREFIX)
                .order(ByteOrder.LITTLE_ENDIAN);
        long length = prefix.getLong();
        if (length < 2 || length > SafetensorsHeader.MAX_HEADER_BYTES || length > size - SafetensorsHeader.PREFIX) {
            throw new SafetensorsException("claims a header of " + Long.toUnsignedString(length)
                    + " bytes in a file of " + size + "; this is not a safetensors file, or it is cut off");
        }
        return length;
    }

    /** The tensors in the order of their bytes. */
    public Collection<TensorEntry> entries() {
        return Collections.unmodifiableCollection(header.entries().values());
    }

    public boolean contains(String name) {
        return header.entries().containsKey(name);
    }

    /** The metadata, sorted by key. */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(header.metadata());
    }

    /** The header's entry of one tensor. */
    public TensorEntry entry(String name) throws SafetensorsException {
        TensorEntry entry = header.entries().get(name);
        if (entry == null) {
            throw new SafetensorsException(path + " has no tensor '" + name + "'; it has "
                    + header.entries().size() + " others");
        }
        return entry;
    }

    /** The checksum that the header claims; empty for a file without one. */
    public String seal() {
        return header.metadata().getOrDefault(Seal.KEY, "");
    }

    /** Reads every byte and compares with the checksum; false for a file without one. */
    public boolean isIntact() throws IOException {
        return Seal.holds(channel, SafetensorsHeader.PREFIX, Math.toIntExact(dataStart - SafetensorsHeader.PREFIX));
    }

    /**
     * Reads every byte and compares with the checksum.
     *
     * @throws SafetensorsException if the file is damaged
     */
    public void requireIntact() throws IOException {
        if (!isIntact()) {
            throw new SafetensorsException(path + " is damaged: its checksum does not match");
        }
    }

    /**
     * The bytes of one tensor, mapped and not copied: they outlive this object and take no heap. At most 2 GB. Until the garbage
     * collector finds the buffer, its pages count as memory of the process.
     */
    public MappedByteBuffer map(String name) throws IOException {
        TensorEntry entry = entry(name);
        return channel.map(FileChannel.MapMode.READ_ONLY, dataStart + entry.begin(), arrayLength(entry));
    }

    /** A copy of the bytes of one tensor on the heap. At most 2 GB. */
    public ByteBuffer bytes(String name) throws IOException {
        TensorEntry entry = entry(name);
        ByteBuffer bytes = ByteBuffer.allocate(arrayLength(entry));
        FilePart.fill(channel, dataStart + entry.begin(), bytes);
        return bytes.flip();
    }

    /** Hands on the bytes of one tensor piece by piece. */
    public void copyTo(WritableByteChannel target, TensorEntry entry) throws IOException {
        long from = dataStart + entry.begin();
        FilePart.copy(channel, from, from + entry.type().bytesOf(entry.dimensions()), target);
    }

    private int arrayLength(TensorEntry entry) throws SafetensorsException {
        long length = entry.type().bytesOf(entry.dimensions());
        if (length > Integer.MAX_VALUE) {
            throw new SafetensorsException(
                    path + ": '" + entry.name() + "' has " + length + " bytes; read it as a tensor instead");
        }
        return (int) length;
    }

    /** Reads one tensor: a dense copy on the CPU in the type that is stored. */
    public Tensor tensor(String name) throws IOException {
        TensorEntry entry = entry(name);
        return TensorBytes.read(channel, dataStart + entry.begin(), entry.type(), entry.dimensions());
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
