package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Initializer;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;

/**
 * Compact bilinear pooling without Fourier transforms, [batch, C, N] → [batch, dimension]: bucket k of the mean circular
 * convolution is the sum of s₁(i)s₂(j)Pᵢⱼ over all pairs with h₁(i) + h₂(j) ≡ k, P = MMᵀ/N. So a table lists the pairs of
 * each bucket, filled up with the place of a zero, and the sums are a gather and a reduction: the same order of additions in
 * every run.
 */
final class CompactBilinearNodes {

    private final GraphBuilder graph;
    private final Operators operators;

    CompactBilinearNodes(GraphBuilder graph) {
        this.graph = graph;
        this.operators = new Operators(graph);
    }

    Value vector(AggregatorConfig.CompactBilinear config, FeatureMatrix M) {
        int channels = M.channels();
        Seed seed = new Seed(config.sketchSeed());
        SketchHashes first = SketchHashes.first(config.dimension(), seed);
        SketchHashes second = SketchHashes.second(config.dimension(), seed);
        Value left = operators.multiply(M.value(), signs(first, channels));
        Value right = operators.multiply(M.value(), signs(second, channels));
        Value products = operators.multiply(operators.product(left, operators.transposed(right)), 1.0 / M.positions());
        long pairs = (long) channels * channels;
        Value flat = operators.reshaped(products, 0L, pairs);
        Value withZero = graph.node("Pad", List.of(flat, graph.sizes(0L, 0L, 0L, 1L)));
        int[] table = table(first, second, channels);
        long depth = table.length / config.dimension();
        Value places = graph.constant(Initializer.of("sketch", List.of((long) config.dimension(), depth), table));
        Value gathered = operators.taken(withZero, places, 1);
        return operators.reshaped(operators.sum(gathered, 2), 0L, (long) config.dimension());
    }

    private Value signs(SketchHashes hashes, int channels) {
        float[] signs = new float[channels];
        for (int i = 0; i < channels; i++) {
            signs[i] = hashes.sign(i);
        }
        return graph.constant(Initializer.of("signs", List.of((long) channels, 1L), signs));
    }

    /** For each bucket the places of its pairs, i·C + j, all rows of one length. */
    private static int[] table(SketchHashes first, SketchHashes second, int channels) {
        int buckets = first.dimension();
        int[] h1 = new int[channels];
        int[] h2 = new int[channels];
        for (int i = 0; i < channels; i++) {
            h1[i] = first.bucket(i);
            h2[i] = second.bucket(i);
        }
        int[] counts = new int[buckets];
        for (int a : h1) {
            for (int b : h2) {
                counts[(int) (((long) a + b) % buckets)]++;
            }
        }
        int depth = Math.max(1, Arrays.stream(counts).max().orElseThrow());
        int[] table = new int[Math.multiplyExact(buckets, depth)];
        Arrays.fill(table, channels * channels);
        Arrays.fill(counts, 0);
        for (int i = 0; i < channels; i++) {
            for (int j = 0; j < channels; j++) {
                int bucket = (int) (((long) h1[i] + h2[j]) % buckets);
                table[bucket * depth + counts[bucket]++] = i * channels + j;
            }
        }
        return table;
    }
}
