package io.github.gramian.onnx.parity.internal;

import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.onnx.export.internal.LoadedModel;
import io.github.gramian.onnx.runtime.internal.Rows;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.nio.FloatBuffer;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** The output of the model itself for images, in the precision that it was loaded with. */
record LibTorchReference(LoadedModel model) {

    /** Probabilities, the mean over the views of each image: [images, classes]. */
    float[][] probabilities(List<InputPixels> scales, int views) {
        try (Scope scope = Scope.open()) {
            List<Tensor> images = scales.stream().map(ImageTensors::of).toList();
            List<Tensor> maps =
                    FeatureMaps.raw(
                                    model.backbone(),
                                    NetworkFeatures.of(model.network().config()),
                                    images)
                            .stream()
                            .map(features ->
                                    FeatureMaps.flat(features, model.network().placement()))
                            .toList();
            float[] rows = HostCopy.floats(
                    model.network().probabilities(model.network().describe(maps)));
            return new Rows(scales.get(0).rows(), views)
                    .fused(FloatBuffer.wrap(rows), model.network().classes());
        }
    }
}
