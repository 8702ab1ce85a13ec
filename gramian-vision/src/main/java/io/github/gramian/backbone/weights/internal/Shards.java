package io.github.gramian.backbone.weights.internal;

import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** Several files read as one; a tensor may begin in one and end in another. */
record Shards(List<Path> files) {

    Shards {
        files = List.copyOf(files);
    }

    long bytes() throws IOException {
        long total = 0;
        for (Path file : files) {
            total += Files.size(file);
        }
        return total;
    }

    Tensor tensor(long offset, TensorType type, long... shape) throws IOException {
        try (Cursor cursor = new Cursor(offset)) {
            return TensorBytes.read(cursor, type, shape);
        }
    }

    /** Reads on from a place, file after file. */
    private final class Cursor implements ReadableByteChannel {

        private int index;
        private long position;
        private FileChannel current;

        Cursor(long offset) throws IOException {
            position = offset;
            while (position > Files.size(files.get(index))) {
                position -= Files.size(files.get(index));
                index++;
            }
            current = FileChannel.open(files.get(index));
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            int read = current.read(target, position);
            while (read < 0 && index + 1 < files.size()) {
                current.close();
                index++;
                position = 0;
                current = FileChannel.open(files.get(index));
                read = current.read(target, position);
            }
            position += Math.max(read, 0);
            return read;
        }

        @Override
        public boolean isOpen() {
            return current.isOpen();
        }

        @Override
        public void close() throws IOException {
            current.close();
        }
    }
}
