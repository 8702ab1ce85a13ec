package io.github.gramian.layer.aggregator;

import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * (Sx)ₖ = Σ over i with h(i) = k of s(i)xᵢ: channels hashed into d buckets with random signs, so that E⟨Sx, Sy⟩ = ⟨x, y⟩. S
 * has one ±1 a column and is never written out: a sketch costs C additions a position.
 *
 * <p>h and s are {@link SketchHashes}; they need not be saved.
 */
final class CountSketch implements AutoCloseable {

    private final long dimension;
    private final Tensor buckets;
    private final Tensor signs;

    CountSketch(int channels, SketchHashes hashes, Placement placement) {
        this.dimension = hashes.dimension();
        int[] h = new int[channels];
        int[] s = new int[channels];
        for (int i = 0; i < channels; i++) {
            h[i] = hashes.bucket(i);
            s[i] = hashes.sign(i);
        }
        try (Scope scope = Scope.open()) {
            this.buckets = Scope.own(torch.tensor(h).to(new Device(placement.device()), ScalarType.Int));
            this.signs = Scope.own(placement.place(torch.tensor(s)).unsqueeze(1));
        }
    }

    /** S applied at every position: [batch, C, N] → [batch, d, N]. */
    Tensor apply(Tensor M) {
        Tensor sketch = torch.zeros(
                new long[] {M.size(0), dimension, M.size(2)}, Placement.of(M).options());
        try (Tensor signed = M.mul(signs)) {
            sketch.index_add_(1, buckets, signed);
        }
        return sketch;
    }

    /** Sᵀ applied at every position: [batch, d, N] → [batch, C, N]. */
    Tensor transposed(Tensor sketch) {
        Tensor channels = sketch.index_select(1, buckets);
        channels.mul_(signs);
        return channels;
    }

    @Override
    public void close() {
        Scope.disown(buckets);
        Scope.disown(signs);
    }
}
