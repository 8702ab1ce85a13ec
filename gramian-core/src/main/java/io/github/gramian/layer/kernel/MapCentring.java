package io.github.gramian.layer.kernel;

import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;

/** Subtracts from every channel its mean over positions. M: [batch, C, N]. */
final class MapCentring {

    private MapCentring() {}

    /** M − mean(M), and its backward pass, which is the same projection. */
    static Pass centre(Tensor M) {
        return Pass.of(withoutMean(M), MapCentring::withoutMean);
    }

    private static Tensor withoutMean(Tensor M) {
        return M.sub(M.mean(new long[] {2}, true, new ScalarTypeOptional()));
    }
}
