package io.github.gramian.onnx.parity;

import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.onnx.export.LoadedModel;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/** What the model itself says of views, in the precision that it was loaded with. */
record LibTorchReference(LoadedModel model) {

    /** Probabilities of views, one row each. */
    float[][] probabilities(List<List<RgbImage>> views) {
        List<Preprocessing> preprocessing = model.description().preprocessing();
        try (Scope scope = Scope.open()) {
            List<Tensor> images = IntStream.range(0, preprocessing.size())
                    .mapToObj(s -> tensor(views.get(s), preprocessing.get(s)))
                    .toList();
            List<Tensor> maps = FeatureMaps.raw(
                            model.backbone(), model.network().config().features(), images)
                    .stream()
                    .map(features -> FeatureMaps.flat(features, model.network().placement()))
                    .toList();
            return HostCopy.rows(model.network().probabilities(model.network().describe(maps)));
        }
    }

    private static Tensor tensor(List<RgbImage> views, Preprocessing scale) {
        Tensor tensor = TensorBytes.allocate(TensorType.F32, views.size(), 3, scale.size(), scale.size());
        TensorBytes.memory(tensor)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer()
                .put(RuntimeSession.numbers(views, scale));
        return tensor;
    }
}
