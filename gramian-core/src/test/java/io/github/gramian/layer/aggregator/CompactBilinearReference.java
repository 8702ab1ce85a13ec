package io.github.gramian.layer.aggregator;

import io.github.gramian.layer.LayerReferences;
import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Compact bilinear pooling once more, its sketches as matrices. */
public final class CompactBilinearReference {

    private CompactBilinearReference() {}

    /** From the bilinear matrix: with P = S₁(MMᵀ/N)S₂ᵀ, entry k is the sum of all Pᵢⱼ with i + j = k modulo d. */
    public static Tensor compactBilinear(Tensor M, int d, Seed seed) {
        Tensor left = sketchMatrix(M, d, seed.child("first"));
        Tensor right = sketchMatrix(M, d, seed.child("second"));
        Tensor P = left.matmul(LayerReferences.linear(M)).matmul(right.t());
        long[] places = new long[d * d];
        for (int k = 0; k < d; k++) {
            for (int i = 0; i < d; i++) {
                places[k * d + i] = (long) i * d + Math.floorMod(k - i, d);
            }
        }
        Tensor ordered = P.reshape(M.size(0), -1).index_select(1, torch.tensor(places));
        return ordered.view(M.size(0), d, d).sum(2);
    }

    /** S: [d, C]. */
    private static Tensor sketchMatrix(Tensor M, int d, Seed seed) {
        int channels = (int) M.size(1);
        try (CompactBilinear.CountSketch sketch =
                new CompactBilinear.CountSketch(channels, new SketchHashes(d, seed), Placement.of(M))) {
            return sketch.apply(torch.eye(channels, Placement.of(M).options()).unsqueeze(0))
                    .squeeze(0);
        }
    }
}
