package io.github.gramian.train.descriptor.internal;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.bytedeco.pytorch.Tensor;

/**
 * Descriptors that are computed once and stored on disk, as float: rows that were float come back bit for bit.
 *
 * <p>The file has no name for longer than it takes to open it ({@code DELETE_ON_CLOSE}, which Unix systems honour by removing
 * the name at once): its disk space is free again when it is closed and when the process dies, however it dies. Rows are read
 * into memory of the caller, not mapped, so that no more than a block of them counts as the process' memory.
 */
public final class DescriptorFile implements Descriptors.Stored {

    private static final long BLOCK = 256;

    private final FileChannel file;
    private final long count;
    private final long length;

    private DescriptorFile(FileChannel file, long count, long length) {
        this.file = file;
        this.count = count;
        this.length = length;
    }

    /** Computes all rows now, into a file in a folder that must exist. */
    public static DescriptorFile of(Descriptors source, Path folder) {
        try {
            requireDiskSpace(folder, source.bytes());
            Path name = Files.createTempFile(folder, "descriptors-", ".tmp");
            FileChannel channel = FileChannel.open(
                    name, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
            DescriptorFile file = new DescriptorFile(channel, source.count(), source.length());
            try {
                file.fill(source);
                return file;
            } catch (IOException | RuntimeException failure) {
                channel.close();
                throw failure;
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static double bytes(long rows, long length) {
        return (double) rows * length * Float.BYTES;
    }

    /** Refuses a folder whose disk is too small. */
    public static void requireDiskSpace(Path folder, double bytes) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        if (bytes > free) {
            throw new IOException("the descriptors need " + megabytes(bytes) + " MB for a while and " + folder + " has "
                    + megabytes((double) free)
                    + " MB left; free some of it, or train a softmax classifier with refit=never");
        }
    }

    private static long megabytes(double bytes) {
        return Math.round(bytes / 1e6);
    }

    private void fill(Descriptors source) throws IOException {
        Placement single = Placement.cpu(Precision.FLOAT);
        for (long from = 0; from < count; from += BLOCK) {
            try (Scope scope = Scope.open()) {
                long to = Math.min(count, from + BLOCK);
                TensorBytes.write(single.place(source.rows(from, to)), file);
            }
        }
        if (file.position() != bytes()) {
            throw new IllegalStateException("rows of " + length
                    + " dimensions were expected, and there were others; correct the source of descriptors");
        }
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Tensor rows(long from, long to) {
        return rows(from, to, TensorBytes.allocate(TensorType.F32, to - from, length));
    }

    @Override
    public Tensor rows(long from, long to, Tensor buffer) {
        Tensor rows = buffer.narrow(0, 0, to - from);
        ByteBuffer memory = TensorBytes.memory(rows);
        long position = from * length * Float.BYTES;
        try {
            while (memory.hasRemaining()) {
                int read = file.read(memory, position);
                if (read < 0) {
                    throw new EOFException("the file of descriptors ends early; was the disk removed?");
                }
                position += read;
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return rows;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
