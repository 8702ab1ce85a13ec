package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.internal.InputPixels;
import java.nio.ByteBuffer;

/** The pixels of a batch as a tensor; closing it returns their memory. */
final class Input implements AutoCloseable {

    private final PixelMemory memory;
    private final ByteBuffer bytes;
    private final OnnxTensor tensor;

    private Input(PixelMemory memory, ByteBuffer bytes, OnnxTensor tensor) {
        this.memory = memory;
        this.bytes = bytes;
        this.tensor = tensor;
    }

    /** Copies pixels once. */
    static Input of(InputPixels pixels, Normalisation normalisation, InputKind kind, PixelMemory memory)
            throws OrtException {
        ByteBuffer bytes = memory.take(Math.toIntExact(Math.multiplyExact(pixels.length(), (long) kind.type().size)));
        try {
            kind.write(pixels, normalisation, bytes);
            return new Input(
                    memory,
                    bytes,
                    OnnxTensor.createTensor(
                            OrtEnvironment.getEnvironment(),
                            bytes,
                            kind.shape(pixels.rows(), pixels.size()),
                            kind.type()));
        } catch (OrtException | RuntimeException failure) {
            memory.give(bytes);
            throw failure;
        }
    }

    OnnxTensor tensor() {
        return tensor;
    }

    @Override
    public void close() {
        tensor.close();
        memory.give(bytes);
    }
}
