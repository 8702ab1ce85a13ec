package io.github.gramian.onnx.export.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.onnx.export.internal.BackboneNodes.Features;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.Tensor;

/** The features of one layer to the descriptor of one branch: [batch, C, side, side] → [batch, length]. */
final class BranchNodes {

    /** Lengths up to here count as zero. */
    private static final double MIN_LENGTH = 1e-20;

    private final GraphBuilder graph;
    private final Weights weights;
    private final String branch;

    /** @param branch name of the branch, such as "branch1", which its parameters begin with */
    BranchNodes(GraphBuilder graph, Weights weights, String branch) {
        this.graph = graph;
        this.weights = weights;
        this.branch = branch;
    }

    /** Adds the branch. The configuration has been checked by {@link Exportable}. */
    Value descriptor(BranchConfig config, Features features) throws ModelException {
        graph.within(branch);
        Features convolved = config.convolution() > 0 ? convolved(config, features) : features;
        Value maps = graph.reshaped(convolved.value(), 0L, (long) convolved.channels(), convolved.positions());
        FeatureMatrix M = new FeatureMatrix(maps, convolved.channels(), convolved.positions());
        Value v = aggregated(config.aggregator(), M);
        Value z = normalised(v, config.descriptor(), config.length(features.channels()));
        graph.within("");
        return z;
    }

    private Features convolved(BranchConfig config, Features features) {
        long outputs = config.convolution();
        Value y = graph.node(
                "Conv",
                List.of(
                        features.value(),
                        weights.parameter(branch + ".convolution.weight", outputs, (long) features.channels(), 1L, 1L),
                        weights.parameter(branch + ".convolution.bias")),
                Attribute.of("kernel_shape", List.of(1L, 1L)));
        Value rectified = config.rectify() ? graph.each("Relu", y) : y;
        return new Features(rectified, config.convolution(), features.side());
    }

    private Value aggregated(AggregatorConfig aggregator, FeatureMatrix M) throws ModelException {
        if (aggregator instanceof AggregatorConfig.SpdMatrix matrix) {
            return new SpdNodes().vector(matrix, M);
        }
        if (aggregator instanceof AggregatorConfig.Average) {
            return graph.reduced("ReduceMean", M.value(), 2, false);
        }
        if (aggregator instanceof AggregatorConfig.Max) {
            return graph.reduced("ReduceMax", M.value(), 2, false);
        }
        CodebookNodes codebook = new CodebookNodes();
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
        Value centred = graph.subtract(unit, weights.parameter(branch + ".centring.mean"));
        return graph.multiply(centred, weights.parameter(branch + ".centring.gain"));
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

    /**
     * Positions assigned to words: [batch, C, N] → [batch, words·C], twice that for Fisher vectors. Everything that depends on the
     * codebook alone is computed here, in double.
     */
    private final class CodebookNodes {

        private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

        /** rₖ = Σ(xₙ − cₖ) over the positions whose nearest centre is cₖ. */
        Value vlad(CodebookConfig.Vlad config, FeatureMatrix M) {
            graph.within(branch + "/vlad");
            String name = branch + ".vlad.centres";
            Value centres = weights.parameter(name);
            // The length of x is the same for all centres and decides nothing.
            Value distances =
                    graph.subtract(squaredLengths(name), graph.multiply(graph.product(centres, M.value()), 2));
            Value nearest =
                    graph.node("ArgMin", List.of(distances), Attribute.of("axis", 1), Attribute.of("keepdims", 1));
            long count = config.centres();
            Value indices = graph.constant(Initializer.of(
                    branch + ".vlad.numbers",
                    List.of(count, 1L),
                    LongStream.range(0, count).toArray()));
            Value assigned = graph.floats(graph.equal(nearest, indices));
            Value residuals = residuals(assigned, M, centres);
            if (config.intraNormalisation()) {
                Value lengths = graph.reduced("ReduceL2", residuals, 2, true);
                residuals = graph.unit(residuals, lengths, MIN_LENGTH);
            }
            return flat(residuals, count * M.channels());
        }

        /** eₖ = Σ aₖₙ(xₙ − cₖ) with a = softmax over k of −exp(ℓₖ)‖xₙ − cₖ‖². */
        Value encoding(CodebookConfig.Encoding config, FeatureMatrix M) {
            graph.within(branch + "/encoding");
            String name = branch + ".encoding.codewords";
            Value codewords = weights.parameter(name);
            Value lengths = graph.reduced("ReduceSumSquare", M.value(), 1, true);
            Value products = graph.product(graph.multiply(codewords, -2), M.value());
            Value distances = graph.add(graph.add(products, squaredLengths(name)), lengths);
            Value rates;
            try (Scope scope = Scope.open()) {
                Tensor logarithms = DOUBLE.place(weights.tensor(branch + ".encoding.logSmoothing"));
                rates = weights.computed(
                        branch + ".encoding.rates", logarithms.exp().neg().unsqueeze(1));
            }
            Value shares = graph.softmax(graph.multiply(distances, rates), 1);
            return flat(residuals(shares, M, codewords), (long) config.codewords() * M.channels());
        }

        /** All gₖ, then all hₖ: linear in Σγ, Σγx and Σγx² with γ the posteriors of the mixture. */
        Value fisher(CodebookConfig.Fisher config, FeatureMatrix M) {
            graph.within(branch + "/fisher");
            String name = branch + ".fisher.";
            try (Scope scope = Scope.open()) {
                Tensor w = DOUBLE.place(weights.tensor(name + "weights"));
                Tensor mu = DOUBLE.place(weights.tensor(name + "means"));
                Tensor u = DOUBLE.place(weights.tensor(name + "variances"));
                GaussianMixture.Densities densities = new GaussianMixture(w, mu, u).densities();
                Value squares = graph.multiply(M.value(), M.value());
                Value logarithms = graph.add(
                        graph.product(weights.computed(name + "quadratic", densities.quadratic()), squares),
                        graph.product(weights.computed(name + "linear", densities.linear()), M.value()));
                Value posteriors = graph.softmax(
                        graph.add(logarithms, weights.computed(name + "constant", densities.constant())), 1);
                Value mass = graph.sum(posteriors, 2);
                Value first = graph.product(posteriors, graph.transposed(M.value()));
                Value second = graph.product(posteriors, graph.transposed(squares));

                Tensor forMeans = w.rsqrt().div(scalar((double) M.positions())).unsqueeze(1);
                Tensor forVariances = forMeans.mul(scalar(Math.sqrt(0.5)));
                Tensor ofFirst = u.rsqrt().mul(forMeans);
                Tensor ofSecond = u.reciprocal().mul(forVariances);
                Value g = graph.subtract(
                        graph.multiply(first, weights.computed(name + "first", ofFirst)),
                        graph.multiply(mass, weights.computed(name + "firstMass", ofFirst.mul(mu))));
                Tensor secondFirst = ofSecond.mul(mu).mul(scalar(2.0));
                Tensor secondMass = ofSecond.mul(mu).mul(mu).sub(forVariances);
                Value difference = graph.subtract(
                        graph.multiply(second, weights.computed(name + "second", ofSecond)),
                        graph.multiply(first, weights.computed(name + "secondFirst", secondFirst)));
                Value h =
                        graph.add(difference, graph.multiply(mass, weights.computed(name + "secondMass", secondMass)));
                long half = (long) config.components() * M.channels();
                return graph.joined(List.of(flat(g, half), flat(h, half)), 1);
            }
        }

        /** Σₙ aₖₙ(xₙ − cₖ) = A·Mᵀ − (A·1)∘c: [batch, words, C]. */
        private Value residuals(Value assigned, FeatureMatrix M, Value words) {
            Value sums = graph.product(assigned, graph.transposed(M.value()));
            return graph.subtract(sums, graph.multiply(graph.sum(assigned, 2), words));
        }

        /** ‖cₖ‖²: [words, 1]. */
        private Value squaredLengths(String words) {
            try (Scope scope = Scope.open()) {
                Tensor c = DOUBLE.place(weights.tensor(words));
                return weights.computed(words + ".squares", c.square().sum(1).unsqueeze(1));
            }
        }

        private Value flat(Value words, long length) {
            return graph.reshaped(words, 0L, length);
        }
    }

    /**
     * Feature maps M [batch, C, N] to vectors [batch, m(m+1)/2]: the kernel matrix K = kernel(M) + εI [batch, C, C], transformations WᵀKW
     * to m×m, the root, the upper triangle.
     */
    private final class SpdNodes {

        /** As the kernel layers have them: σ does not go below the noise of distances, nor below this. */
        private static final double ROUNDINGS = 8;

        private static final double MIN_SIGMA = 1e-12;

        /** Prevents division by zero for a matrix of zeros, whose trace is zero. */
        private static final double MIN_TRACE = 1e-30;

        Value vector(AggregatorConfig.SpdMatrix config, FeatureMatrix M) {
            Value Y = matrix(config.aggregation(), M);
            int size = M.channels();
            for (int i = 0; i < config.transforms().size(); i++) {
                TransformConfig transform = config.transforms().get(i);
                String name = "transform" + (i + 1);
                graph.within(branch + "/" + name);
                Value W = weights.parameter(branch + "." + name + ".W");
                Y = graph.product(graph.permuted(W, 1, 0), graph.product(Y, W));
                if (transform.activation() instanceof TransformConfig.Activation.ElementwiseRelu) {
                    Y = graph.each("Relu", Y);
                }
                size = transform.outputDim();
            }
            if (config.root() instanceof RootConfig.Iterated root) {
                graph.within(branch + "/root");
                Y = root(Y, size, root.iterations());
            }
            graph.within(branch);
            return triangle(Y, size);
        }

        private Value matrix(AggregationConfig aggregation, FeatureMatrix maps) {
            graph.within(branch + "/kernel");
            Value M = aggregation.mapCentring() ? centred(maps.value()) : maps.value();
            if (aggregation.unitMaps()) {
                Value lengths = graph.reduced("ReduceL2", M, 2, true);
                M = graph.unit(M, lengths, MIN_LENGTH);
            }
            Value diagonal = graph.diagonal(maps.channels());
            Value K = kernel(aggregation.kernel(), new FeatureMatrix(M, maps.channels(), maps.positions()), diagonal);
            if (aggregation.jitter() > 0) {
                K = graph.where(diagonal, graph.add(K, graph.scalar(aggregation.jitter())), K);
            }
            graph.within(branch);
            return K;
        }

        private Value kernel(KernelConfig kernel, FeatureMatrix M, Value diagonal) {
            if (kernel instanceof KernelConfig.Linear) {
                return products(M.value(), M.positions());
            }
            if (kernel instanceof KernelConfig.Covariance) {
                return products(centred(M.value()), Math.max(1, M.positions() - 1));
            }
            if (kernel instanceof KernelConfig.Polynomial polynomial) {
                Value shifted = graph.add(products(M.value(), M.positions()), graph.scalar(polynomial.offset()));
                Value power = shifted;
                for (int i = 1; i < polynomial.degree(); i++) {
                    power = graph.multiply(power, shifted);
                }
                return power;
            }
            Value squares = graph.reduced("ReduceSumSquare", M.value(), 2, true);
            Value D = squaredDistances(M.value(), squares, diagonal);
            if (kernel instanceof KernelConfig.Rbf rbf) {
                return gaussian(D, sigma(rbf.bandwidth(), D, squares, M.channels()), 1);
            }
            if (kernel instanceof KernelConfig.MultiRbf multi) {
                return mean(D, sigma(multi.bandwidth(), D, squares, M.channels()), multi.multiples());
            }
            Value sigma = sigma(((KernelConfig.Laplacian) kernel).bandwidth(), D, squares, M.channels());
            return graph.each("Exp", graph.each("Neg", graph.divide(graph.each("Sqrt", D), sigma)));
        }

        private Value centred(Value M) {
            return graph.subtract(M, graph.reduced("ReduceMean", M, 2, true));
        }

        /** MMᵀ/count. */
        private Value products(Value M, long count) {
            return graph.multiply(graph.product(M, graph.transposed(M)), 1.0 / count);
        }

        /** D = sq·1ᵀ + 1·sqᵀ − 2MMᵀ, zero on the diagonal and nowhere below zero. */
        private Value squaredDistances(Value M, Value squares, Value diagonal) {
            Value sums = graph.add(squares, graph.transposed(squares));
            Value D = graph.subtract(sums, graph.multiply(graph.product(M, graph.transposed(M)), 2));
            return graph.each("Relu", graph.where(diagonal, graph.scalar(0), D));
        }

        /** σ: [batch, 1, 1], or one number for all images. */
        private Value sigma(Bandwidth bandwidth, Value D, Value squares, int channels) {
            if (bandwidth instanceof Bandwidth.Fixed fixed) {
                return graph.scalar(fixed.sigma());
            }
            if (bandwidth instanceof Bandwidth.Global) {
                return weights.parameter(branch + ".kernel.sigma.mean");
            }
            double pairs = Math.max(1.0, (double) channels * (channels - 1));
            Value rows = graph.sum(graph.each("Sqrt", D), 2); // two steps keep digits that one long sum would lose
            Value meanDistance = graph.multiply(graph.sum(rows, 1), 1 / pairs);
            Value meanSquare = graph.multiply(graph.sum(squares, 1), 1.0 / channels);
            double rounding = ROUNDINGS * Math.sqrt(Precision.FLOAT.epsilon());
            Value noise = graph.atLeast(graph.multiply(graph.each("Sqrt", meanSquare), rounding), MIN_SIGMA);
            return graph.larger(meanDistance, noise);
        }

        /** exp(−D/2(mσ)²). */
        private Value gaussian(Value D, Value sigma, double multiple) {
            Value width = graph.multiply(sigma, multiple);
            Value rate = graph.multiply(graph.each("Reciprocal", graph.multiply(width, width)), -0.5);
            return graph.each("Exp", graph.multiply(D, rate));
        }

        private Value mean(Value D, Value sigma, List<Double> multiples) {
            Value sum = gaussian(D, sigma, multiples.get(0));
            for (double multiple : multiples.subList(1, multiples.size())) {
                sum = graph.add(sum, gaussian(D, sigma, multiple));
            }
            return graph.multiply(sum, 1.0 / multiples.size());
        }

        /** t = tr Y, then T = 3I − ZY, Y ← ½YT, Z ← ½TZ from Y/t and I, and √t·Y in the end. */
        private Value root(Value matrix, int size, int iterations) {
            Value diagonal = graph.diagonal(size);
            Value onDiagonal = graph.where(diagonal, matrix, graph.scalar(0));
            Value trace = graph.atLeast(graph.sum(graph.sum(onDiagonal, 2), 1), MIN_TRACE);
            Value threes = graph.where(diagonal, graph.scalar(3), graph.scalar(0));
            Value Y = graph.divide(matrix, trace);
            Value T = graph.subtract(threes, Y); // Z is the identity at first
            Value Z = graph.multiply(T, 0.5);
            Y = graph.multiply(graph.product(Y, T), 0.5);
            for (int k = 1; k < iterations; k++) {
                T = graph.subtract(threes, graph.product(Z, Y));
                Y = graph.multiply(graph.product(Y, T), 0.5);
                if (k < iterations - 1) {
                    Z = graph.multiply(graph.product(T, Z), 0.5);
                }
            }
            return graph.multiply(Y, graph.each("Sqrt", trace));
        }

        /** The upper triangle row by row, entries off the diagonal times √2: [batch, n(n+1)/2]. */
        private Value triangle(Value Y, int size) {
            Value factors = graph.where(graph.diagonal(size), graph.scalar(1), graph.scalar(Math.sqrt(2)));
            Value flat = graph.reshaped(graph.multiply(Y, factors), 0L, (long) size * size);
            int[] places = new int[Math.toIntExact((long) size * (size + 1) / 2)];
            int next = 0;
            for (int i = 0; i < size; i++) {
                for (int j = i; j < size; j++) {
                    places[next++] = i * size + j;
                }
            }
            Value triangle =
                    graph.constant(Initializer.of(branch + ".triangle", List.of((long) places.length), places));
            return graph.taken(flat, triangle, 1);
        }
    }
}
