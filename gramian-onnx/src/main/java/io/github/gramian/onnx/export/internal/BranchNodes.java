package io.github.gramian.onnx.export.internal;

import io.github.gramian.model.ModelException;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.onnx.graph.internal.Attribute;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
import java.util.List;

/** The features of one layer to the descriptor of one branch: [batch, C, side, side] → [batch, length]. */
final class BranchNodes {

    /** Lengths up to here count as zero. */
    static final double MIN_LENGTH = 1e-20;

    private final GraphBuilder graph;
    private final Operators operators;
    private final Weights weights;
    private final String name;

    /** @param name of the branch, which its parameters begin with, such as {@code branch1} */
    BranchNodes(GraphBuilder graph, Weights weights, String name) {
        this.graph = graph;
        this.operators = new Operators(graph);
        this.weights = weights;
        this.name = name;
    }

    /** Adds the branch. The configuration has been checked by {@link Exportable}. */
    Value descriptor(BranchConfig branch, Features features) throws ModelException {
        graph.within(name);
        Features convolved = branch.convolution() > 0 ? convolved(branch, features) : features;
        Value maps = operators.reshaped(convolved.value(), 0L, (long) convolved.channels(), convolved.positions());
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
        Value rectified = branch.rectify() ? operators.each("Relu", y) : y;
        return new Features(rectified, branch.convolution(), features.side());
    }

    private Value aggregated(AggregatorConfig aggregator, FeatureMatrix M) throws ModelException {
        if (aggregator instanceof AggregatorConfig.SpdMatrix matrix) {
            Value K = new KernelNodes(graph, weights, name).matrix(matrix.aggregation(), M);
            return new MatrixNodes(graph, weights, name).vector(matrix, K, M.channels());
        }
        if (aggregator instanceof AggregatorConfig.Average) {
            return operators.reduced("ReduceMean", M.value(), 2, false);
        }
        if (aggregator instanceof AggregatorConfig.Max) {
            return operators.reduced("ReduceMax", M.value(), 2, false);
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
            return new CompactBilinearNodes(graph).vector(compact, M);
        }
        throw new ModelException("the aggregator " + aggregator + " is not exported");
    }

    private Value normalised(Value v, DescriptorConfig descriptor, int length) {
        Value powered = descriptor.powerEpsilon() >= 0 ? powered(v, descriptor.powerEpsilon()) : v;
        Value unit = operators.unit(powered, length(powered, length), MIN_LENGTH);
        if (descriptor.centringMomentum() == 0) {
            return unit;
        }
        Value centred = operators.subtract(unit, weights.parameter(name + ".centring.mean"));
        return operators.multiply(centred, weights.parameter(name + ".centring.gain"));
    }

    /** sign(v)(√(|v| + ε) − √ε), computed as v/(√(|v| + ε) + √ε), which does not cancel. */
    private Value powered(Value v, double epsilon) {
        Value magnitude = operators.each("Abs", v);
        if (epsilon > 0) {
            Value root = operators.each("Sqrt", operators.add(magnitude, graph.scalar(epsilon)));
            return operators.divide(v, operators.add(root, graph.scalar(Math.sqrt(epsilon))));
        }
        Value root = operators.each("Sqrt", magnitude);
        Value safe = operators.where(operators.equal(root, graph.scalar(0)), graph.scalar(1), root);
        return operators.divide(v, safe);
    }

    /** ‖v‖ in two steps: a long sum in one would lose digits. [batch, 1]. */
    private Value length(Value v, int length) {
        long rows = divisorNearRoot(length);
        Value blocks = operators.reshaped(v, 0L, rows, length / rows);
        Value lengths = operators.reduced("ReduceL2", blocks, 2, false);
        return operators.reduced("ReduceL2", lengths, 1, true);
    }

    /** The largest divisor of n that is not above √n. */
    private static long divisorNearRoot(long n) {
        long divisor = (long) Math.sqrt((double) n);
        while (n % divisor != 0) {
            divisor--;
        }
        return divisor;
    }
}
