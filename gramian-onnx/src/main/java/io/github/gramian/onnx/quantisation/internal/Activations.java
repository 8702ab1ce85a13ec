package io.github.gramian.onnx.quantisation.internal;

import io.github.gramian.onnx.export.internal.ModelGraph;
import io.github.gramian.onnx.graph.internal.Graph;
import io.github.gramian.onnx.graph.internal.Initializer;
import io.github.gramian.onnx.graph.internal.Node;
import io.github.gramian.onnx.graph.internal.Value;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which values of a graph are rounded: everything that a convolution, a pooling or an addition of the backbone takes. Values
 * between one of these and its ReLU are not, since runtimes compute both at once; nor are values that only the head takes.
 */
final class Activations {

    private static final Set<String> QUANTISED = Set.of("Conv", "MaxPool", "Add");

    private Activations() {}

    /** Whether a node computes with rounded values. */
    static boolean computes(Node node) {
        return node.output().name().startsWith(ModelGraph.BACKBONE) && QUANTISED.contains(node.operator());
    }

    /** The values, in the order of their use. */
    static Set<Value> of(Graph graph) {
        Set<Value> constants = new HashSet<>();
        graph.initializers().stream().map(Initializer::value).forEach(constants::add);
        Set<Value> found = new LinkedHashSet<>();
        for (Node node : graph.nodes()) {
            if (computes(node)) {
                node.inputs().stream()
                        .filter(input -> !constants.contains(input))
                        .forEach(found::add);
            }
        }
        return found;
    }
}
