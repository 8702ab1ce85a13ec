package io.github.gramian.backbone.engine.internal;

import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.nio.FloatBuffer;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** Normalised pixels as LibTorch tensors: here they enter the engine. */
public final class ImageTensors {

    private ImageTensors() {}

    /**
     * A tensor [rows, 3, size, size], float, on the CPU, in the layout of the pixels. They are copied image by image into
     * the tensor's own memory; it belongs to the scope of the caller's thread.
     */
    public static Tensor of(InputPixels pixels) {
        try (Scope scope = Scope.open()) {
            Tensor batch = torch.empty(
                    new long[] {pixels.rows(), 3, pixels.size(), pixels.size()},
                    Placement.cpu(Precision.FLOAT).options(),
                    new MemoryFormatOptional(format(pixels.order())));
            if (pixels.length() > 0) {
                FloatBuffer memory =
                        batch.data_ptr_float().capacity(pixels.length()).asBuffer();
                pixels.images().forEach(memory::put);
            }
            return scope.promote(batch);
        }
    }

    private static MemoryFormat format(ChannelOrder order) {
        return order == ChannelOrder.FIRST ? MemoryFormat.Contiguous : MemoryFormat.ChannelsLast;
    }
}
