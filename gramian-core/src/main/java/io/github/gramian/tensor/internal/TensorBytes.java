package io.github.gramian.tensor.internal;

import io.github.gramian.io.internal.FilePart;
import io.github.gramian.tensor.Scope;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;

/**
 * The raw bytes of dense CPU tensors, moved in windows so that a tensor may be larger than a Java buffer. The bytes are
 * little-endian, as the files we read and every platform that LibTorch is built for.
 */
public final class TensorBytes {

    /** The most that is viewed at once; below the 2 GB that a buffer can address. */
    static final long WINDOW = 1L << 30;

    private TensorBytes() {}

    /** A dense tensor on the CPU whose content is not yet defined. */
    public static Tensor allocate(TensorType type, long... shape) {
        return torch.empty(
                shape,
                new TensorOptions().dtype(new ScalarTypeOptional(type.scalarType())),
                new MemoryFormatOptional());
    }

    /** A tensor copied from a part of a file; it belongs to the caller's scope, not to the file. */
    public static Tensor read(FileChannel file, long position, TensorType type, long... shape) throws IOException {
        return read(file, position, WINDOW, type, shape);
    }

    static Tensor read(FileChannel file, long position, long window, TensorType type, long... shape)
            throws IOException {
        long total = type.bytesOf(shape);
        if (position < 0 || total > file.size() - position) {
            throw new EOFException("the file ends before the tensor does: " + total + " bytes at " + position);
        }
        Tensor tensor = allocate(type, shape);
        for (long done = 0; done < total; done += window) {
            FilePart.fill(file, position + done, view(tensor, done, Math.min(window, total - done)));
        }
        return tensor;
    }

    /** A tensor filled from a stream of bytes, which must not end early. */
    public static Tensor read(ReadableByteChannel source, TensorType type, long... shape) throws IOException {
        Tensor tensor = allocate(type, shape);
        long total = tensor.nbytes();
        for (long done = 0; done < total; done += WINDOW) {
            ByteBuffer window = view(tensor, done, Math.min(WINDOW, total - done));
            while (window.hasRemaining()) {
                if (source.read(window) < 0) {
                    throw new EOFException("the data ends before the tensor does: " + total + " bytes expected");
                }
            }
        }
        return tensor;
    }

    /** Writes the elements of a tensor of any layout and device in row-major order. */
    public static void write(Tensor tensor, WritableByteChannel target) throws IOException {
        try (Scope scope = Scope.open()) {
            Tensor dense = tensor.detach().cpu().contiguous();
            long total = dense.nbytes();
            for (long done = 0; done < total; done += WINDOW) {
                ByteBuffer window = view(dense, done, Math.min(WINDOW, total - done));
                while (window.hasRemaining()) {
                    target.write(window);
                }
            }
        }
    }

    /** The memory of a dense CPU tensor of at most 2 GB: valid only while the tensor is. */
    public static ByteBuffer memory(Tensor tensor) {
        return view(tensor, 0, tensor.nbytes());
    }

    /** A window on the tensor's own memory: valid only while the tensor is. */
    private static ByteBuffer view(Tensor tensor, long offset, long length) {
        BytePointer bytes = new BytePointer(tensor.data_ptr());
        return bytes.position(offset).limit(offset + length).asByteBuffer();
    }
}
