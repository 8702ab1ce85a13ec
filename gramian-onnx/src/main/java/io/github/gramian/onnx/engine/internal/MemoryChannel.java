package io.github.gramian.onnx.engine.internal;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Writes into memory that is large enough. */
record MemoryChannel(ByteBuffer memory) implements WritableByteChannel {

    @Override
    public int write(ByteBuffer source) {
        int bytes = source.remaining();
        memory.put(source);
        return bytes;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
