package io.github.gramian.backbone.weights.internal;

import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Foreign safetensors files, as torchvision's and timm's users save them. */
final class SafetensorsSource {

    private SafetensorsSource() {}

    static SourceWeights open(Path path) throws IOException {
        SafetensorsFile file = SafetensorsFile.open(path);
        Map<String, SourceTensor> tensors = new LinkedHashMap<>();
        for (TensorEntry entry : file.entries()) {
            tensors.put(entry.name(), new SourceTensor(entry.type(), entry.shape(), () -> file.tensor(entry.name())));
        }
        return new SourceWeights(SourceFormat.SAFETENSORS, tensors, SourceWeights.Notes.NONE, file::close);
    }
}
