package io.github.gramian.onnx.runtime.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Native memory for inputs, used again and again: one piece for each thread and scale, as large as the largest batch.
 * Memory of direct buffers that are dropped instead returns only when the garbage collector comes by.
 */
final class PixelMemory {

    private final Queue<ByteBuffer> free = new ConcurrentLinkedQueue<>();

    /** Empty memory with capacity for this number of bytes, in the machine's order of bytes. */
    ByteBuffer take(int bytes) {
        ByteBuffer found = free.poll();
        ByteBuffer memory = found == null || found.capacity() < bytes ? ByteBuffer.allocateDirect(bytes) : found;
        return memory.clear().order(ByteOrder.nativeOrder());
    }

    /** Nobody reads it any more. */
    void give(ByteBuffer memory) {
        free.add(memory);
    }
}
