package io.github.gramian.backbone.engine.internal;

import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Computes the features of one frozen network, without gradients, faster than LibTorch does layer by layer. Many threads may
 * use it at once.
 */
public interface FrozenEngine extends AutoCloseable {

    /** Name and version, such as {@code ONNX Runtime 1.28.0}. */
    String name();

    /**
     * The features of images at the layers of the {@linkplain FrozenRequest request}, in its order.
     *
     * @param images [batch, 3, size, size], float, on the CPU, in any memory layout
     * @return [batch, channels, height, width] in channels-last layout, owned by the caller's scope
     */
    List<Tensor> features(Tensor images);

    @Override
    void close();
}
