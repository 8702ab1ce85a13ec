package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** A file of the leader that all processes read: the others get its bytes, so that machines need no directory in common. */
record SharedFile(ProcessGroup group) {

    @FunctionalInterface
    interface Reader<T> {
        T read(Path file) throws IOException;
    }

    <T> T read(Path file, Reader<T> reader) throws IOException {
        if (group.distributed().leads()) {
            send(file);
            return reader.read(file);
        }
        Path copy = Files.createTempFile("gramian-checkpoint", ".safetensors");
        try {
            receive(copy);
            return reader.read(copy);
        } finally {
            Files.delete(copy);
        }
    }

    private void send(Path file) throws IOException {
        try (Scope scope = Scope.open();
                FileChannel channel = FileChannel.open(file)) {
            group.sum((double) channel.size());
            group.broadcast(List.of(TensorBytes.read(channel, 0, TensorType.U8, channel.size())));
        }
    }

    private void receive(Path copy) throws IOException {
        try (Scope scope = Scope.open();
                FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            Tensor bytes = TensorBytes.allocate(TensorType.U8, (long) group.sum(0)[0]);
            group.broadcast(List.of(bytes));
            TensorBytes.write(bytes, channel);
        }
    }
}
