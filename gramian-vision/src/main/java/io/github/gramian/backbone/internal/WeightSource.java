package io.github.gramian.backbone.internal;

import java.io.IOException;
import org.bytedeco.pytorch.Tensor;

/** Where a network gets its weights when it is built: a file, a seed. */
@FunctionalInterface
public interface WeightSource {

    /** The weight of this name, as a floating-point tensor of the planned shape, in the current scope. */
    Tensor weight(String name) throws IOException;
}
