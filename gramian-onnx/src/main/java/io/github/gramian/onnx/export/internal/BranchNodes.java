package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.onnx.export.internal.BackboneNodes.Features;
import io.github.gramian.onnx.export.internal.BranchNodes.FeatureMatrix;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;

/** The features of one layer to the descriptor of one branch: [batch, C, side, side] → [batch, length]. */
final class BranchNodes {

    /** Lengths up to here count as zero. */
    static final double MIN_LENGTH = 1e-20;

    private final GraphBuilder graph;
    private final Weights weights;
    private final String name;

    /** @param name of the branch, which its parameters begin with, such as {@code branch1} */
    BranchNodes(GraphBuilder graph, Weights weights, String name) {
        this.graph = graph;
        this.weights = weights;
        this.name = name;
    }

    /** Adds the branch. The configuration has been checked by {@link Exportable}. */
    Value descriptor(BranchConfig branch, Features features) throws ModelException {
        graph.within(name);
        Features convolved = branch.convolution() > 0 ? convolved(branch, features) : features;
        Value maps = graph.reshaped(convolved.value(), 0L, (long) convolved.channels(), convolved.positions());
        FeatureMatrix M = new FeatureMatrix(maps, convolved.channels(), convolved.positions());
        Value v = aggregated(branch.aggregator(), M);
        Value z = normalised(v, branch.descriptor(), branch.length(features.channels()));
        graph.within("");
        return z;
    }

    private Features convolved(BranchConfig branch, Features features) {
        long outputs = branch.convolution();
        Value y = graph.node(
                "Conv",
                List.of(
                        features.value(),
                        weights.parameter(name + ".convolution.weight", outputs, (long) features.channels(), 1L, 1L),
                        weights.parameter(name + ".convolution.bias")),
                Attribute.of("kernel_shape", List.of(1L, 1L)));
        Value rectified = branch.rectify() ? graph.each("Relu", y) : y;
        return new Features(rectified, branch.convolution(), features.side());
    }

    private Value aggregated(AggregatorConfig aggregator, FeatureMatrix M) throws ModelException {
        if (aggregator instanceof AggregatorConfig.SpdMatrix matrix) {
            return new SpdNodes(graph, weights, name).vector(matrix, M);
        }
        if (aggregator instanceof AggregatorConfig.Average) {
            return graph.reduced("ReduceMean", M.value(), 2, false);
        }
        if (aggregator instanceof AggregatorConfig.Max) {
            return graph.reduced("ReduceMax", M.value(), 2, false);
        }
        CodebookNodes codebook = new CodebookNodes(graph, weights, name);
        if (aggregator instanceof CodebookConfig.Vlad vlad) {
            return codebook.vlad(vlad, M);
        }
        if (aggregator instanceof CodebookConfig.Encoding encoding) {
            return codebook.encoding(encoding, M);
        }
        if (aggregator instanceof CodebookConfig.Fisher fisher) {
            return codebook.fisher(fisher, M);
        }
        if (aggregator instanceof AggregatorConfig.CompactBilinear compact) {
            return compactBilinear(compact, M);
        }
        throw new ModelException("the aggregator " + aggregator + " is not exported");
    }

    private Value normalised(Value v, DescriptorConfig descriptor, int length) {
        Value powered = descriptor.powerEpsilon() >= 0 ? powered(v, descriptor.powerEpsilon()) : v;
        Value unit = graph.unit(powered, length(powered, length), MIN_LENGTH);
        if (descriptor.centringMomentum() == 0) {
            return unit;
        }
        Value centred = graph.subtract(unit, weights.parameter(name + ".centring.mean"));
        return graph.multiply(centred, weights.parameter(name + ".centring.gain"));
    }

    /** sign(v)(√(|v| + ε) − √ε), computed as v/(√(|v| + ε) + √ε), which does not cancel. */
    private Value powered(Value v, double epsilon) {
        Value magnitude = graph.each("Abs", v);
        if (epsilon > 0) {
            Value root = graph.each("Sqrt", graph.add(magnitude, graph.scalar(epsilon)));
            return graph.divide(v, graph.add(root, graph.scalar(Math.sqrt(epsilon))));
        }
        Value root = graph.each("Sqrt", magnitude);
        Value safe = graph.where(graph.equal(root, graph.scalar(0)), graph.scalar(1), root);
        return graph.divide(v, safe);
    }

    /** ‖v‖ in two steps: a long sum in one would lose digits. [batch, 1]. */
    private Value length(Value v, int length) {
        long rows = divisorNearRoot(length);
        Value blocks = graph.reshaped(v, 0L, rows, length / rows);
        Value lengths = graph.reduced("ReduceL2", blocks, 2, false);
        return graph.reduced("ReduceL2", lengths, 1, true);
    }

    /** The largest divisor of n that is not above √n. */
    private static long divisorNearRoot(long n) {
        long divisor = (long) Math.sqrt((double) n);
        while (n % divisor != 0) {
            divisor--;
        }
        return divisor;
    }

    /**
     * M: what aggregators take.
     *
     * @param value [batch, channels, positions]
     */
    record FeatureMatrix(Value value, int channels, long positions) {}

    /**
     * Compact bilinear pooling without Fourier transforms, [batch, C, N] → [batch, dimension]: bucket k of the mean circular
     * convolution is the sum of s₁(i)s₂(j)Pᵢⱼ over all pairs with h₁(i) + h₂(j) ≡ k, P = MMᵀ/N. So a table lists the pairs of
     * each bucket, filled up with the place of a zero, and the sums are a gather and a reduction: the same order of additions in
     * every run.
     */
    private Value compactBilinear(AggregatorConfig.CompactBilinear config, FeatureMatrix M) {
        int channels = M.channels();
        Seed seed = new Seed(config.sketchSeed());
        SketchHashes first = SketchHashes.first(config.dimension(), seed);
        SketchHashes second = SketchHashes.second(config.dimension(), seed);
        Value left = graph.multiply(M.value(), signs(first, channels));
        Value right = graph.multiply(M.value(), signs(second, channels));
        Value products = graph.multiply(graph.product(left, graph.transposed(right)), 1.0 / M.positions());
        long pairs = (long) channels * channels;
        Value flat = graph.reshaped(products, 0L, pairs);
        Value withZero = graph.node("Pad", List.of(flat, graph.sizes(0L, 0L, 0L, 1L)));
        int[] table = table(first, second, channels);
        long depth = table.length / config.dimension();
        Value places = graph.constant(Initializer.of("sketch", List.of((long) config.dimension(), depth), table));
        Value gathered = graph.taken(withZero, places, 1);
        return graph.reshaped(graph.sum(gathered, 2), 0L, (long) config.dimension());
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
