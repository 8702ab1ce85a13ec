package io.github.gramian.backbone.engine.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Finds the shapes of features by computing those of one image. */
public final class Shapes {

    private Shapes() {}

    /** [1, 3, size, size], zeros, in the current scope. */
    public static Tensor blackImage(int size) {
        return torch.zeros(1, 3, size, size);
    }

    /** The shapes of features [1, …] without the dimension of the batch. */
    public static Map<String, List<Long>> ofOne(Map<String, Tensor> features) {
        Map<String, List<Long>> shapes = new LinkedHashMap<>();
        features.forEach((tap, values) -> {
            List<Long> shape = new ArrayList<>();
            for (int dimension = 1; dimension < values.dim(); dimension++) {
                shape.add(values.size(dimension));
            }
            shapes.put(tap, shape);
        });
        return shapes;
    }
}
