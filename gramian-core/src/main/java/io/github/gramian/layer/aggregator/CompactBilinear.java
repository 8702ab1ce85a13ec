package io.github.gramian.layer.aggregator;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.StringViewOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * v = (1/N) Σₙ S₁xₙ ⊛ S₂xₙ for the columns xₙ of M, with two fixed {@link CountSketch}es and the circular convolution ⊛: a
 * tensor sketch of the bilinear pooling (1/N) Σₙ xₙxₙᵀ (Gao et al., Compact Bilinear Pooling), whose inner products it
 * keeps on average, E⟨v(x), v(y)⟩ = ⟨x, y⟩² for single positions. M: [batch, C, N]; v: [batch, d].
 *
 * <p>⊛ is a product F₁ ∘ F₂ of Fourier transforms, so the sum over positions is taken there and one inverse transform
 * follows. With G = the transform of ∂L/∂v the backward pass is ∂L/∂xₙ = (S₁ᵀ F⁻¹(G ∘ F̄₂) + S₂ᵀ F⁻¹(G ∘ F̄₁))/N.
 *
 * <p>Cost per image: 2N transforms of length d each way, O(N(C + d log d)), for any C. N·d complex values are stored for
 * the backward pass. Powers of two are the fastest d. For a few hundred channels the whole bilinear matrix is computed
 * faster than this: the sketch saves dimensions, and time only from thousands of channels on.
 */
public final class CompactBilinear implements Layer {

    /** The dimension of sketches [batch, d, N] along which they are transformed. */
    private static final long BUCKETS = 1;

    private final long dimension;
    private final CountSketch first;
    private final CountSketch second;

    /** A sketch of d dimensions; its hashes follow from the seed. */
    public CompactBilinear(int channels, int dimension, Placement placement, Seed seed) {
        this.dimension = dimension;
        this.first = new CountSketch(channels, SketchHashes.first(dimension, seed), placement);
        this.second = new CountSketch(channels, SketchHashes.second(dimension, seed), placement);
    }

    @Override
    public Pass forward(Tensor M, Phase phase) {
        double share = 1.0 / M.size(2);
        Tensor F1 = spectrum(first, M);
        Tensor F2 = spectrum(second, M);
        return Pass.of(pooled(F1, F2, share), dv -> {
            try (Tensor mean = dv.unsqueeze(2).mul(scalar(share));
                    Tensor G = transform(mean);
                    Tensor throughSecond = correlation(second, G, F1)) {
                Tensor dM = correlation(first, G, F2);
                dM.add_(throughSecond);
                return dM;
            }
        });
    }

    /** The transform of a sketch: [batch, d/2 + 1, N], complex. */
    private static Tensor spectrum(CountSketch sketch, Tensor M) {
        try (Tensor sketched = sketch.apply(M)) {
            return transform(sketched);
        }
    }

    private Tensor pooled(Tensor F1, Tensor F2, double share) {
        try (Tensor product = F1.mul(F2);
                Tensor sum = product.sum(2)) {
            Tensor v = inverse(sum);
            v.mul_(scalar(share));
            return v;
        }
    }

    /** Sᵀ F⁻¹(G ∘ F̄): what a sketch has to change, given the other one's transform. */
    private Tensor correlation(CountSketch sketch, Tensor G, Tensor F) {
        try (Tensor product = F.conj().mul(G);
                Tensor correlated = inverse(product)) {
            return sketch.transposed(correlated);
        }
    }

    private static Tensor transform(Tensor real) {
        return torch.fft_rfft(real, new LongOptional(), BUCKETS, new StringViewOptional());
    }

    private Tensor inverse(Tensor spectrum) {
        return torch.fft_irfft(spectrum, new LongOptional(dimension), BUCKETS, new StringViewOptional());
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }

    /**
     * (Sx)ₖ = Σ over i with h(i) = k of s(i)xᵢ: channels hashed into d buckets with random signs, so that E⟨Sx, Sy⟩ = ⟨x, y⟩. S
     * has one ±1 a column and is never written out: a sketch costs C additions a position.
     *
     * <p>h and s are {@link SketchHashes}; they need not be saved.
     */
    static final class CountSketch implements AutoCloseable {

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
                    new long[] {M.size(0), dimension, M.size(2)},
                    Placement.of(M).options());
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
}
