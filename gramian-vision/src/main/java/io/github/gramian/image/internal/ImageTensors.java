package io.github.gramian.image.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.nio.FloatBuffer;
import java.util.List;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Normalised pixels as LibTorch tensors. */
public final class ImageTensors {

    private ImageTensors() {}

    /**
     * A tensor [views in all, 3, size, size] of what {@link Preprocessing#numbersOf} gave for some images. The numbers
     * are copied array by array into the tensor's own memory; it belongs to the scope of the caller's thread.
     */
    public static Tensor of(List<float[]> images, int size, ChannelOrder order) {
        long viewLength = 3L * size * size;
        long length = 0;
        for (float[] image : images) {
            if (image.length % viewLength != 0) {
                throw new IllegalArgumentException(
                        image.length + " values are not whole views of 3×" + size + "×" + size);
            }
            length += image.length;
        }
        try (Scope scope = Scope.open()) {
            Tensor batch = torch.empty(
                    new long[] {length / viewLength, 3, size, size},
                    Placement.cpu(Precision.FLOAT).options(),
                    new MemoryFormatOptional(order.memoryFormat()));
            if (length > 0) {
                FloatBuffer memory = batch.data_ptr_float().capacity(length).asBuffer();
                images.forEach(memory::put);
            }
            return scope.promote(batch);
        }
    }
}
