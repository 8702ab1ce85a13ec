package io.github.gramian.onnx.quantisation.internal;

import io.github.gramian.onnx.export.internal.ModelGraph;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Node;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.onnx.runtime.Int8Target;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Rounds the backbone of a graph to 8 bits in the way that runtimes recognise: after every activation stands a {@code
 * QuantizeLinear} and a {@code DequantizeLinear}, weights are 8-bit constants after a {@code DequantizeLinear}, and a runtime
 * that knows integer convolutions joins them. Activations are 0..255 with their own zero point, weights −64..64 or −127..127
 * ({@link Int8Target}) with a scale for each output channel, biases 32-bit integers in units of both scales.
 */
final class Quantiser {

    /** Leaves space in 32 bits for the sum of products that a bias is added to. */
    private static final int MAX_BIAS = 1 << 30;

    private final OnnxGraph graph;
    private final Int8Target target;
    private final Map<Value, Range> ranges;
    private final Map<Value, Initializer> constants = new HashMap<>();
    private final Map<String, Initializer> added = new LinkedHashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Value, Value> rounded = new HashMap<>();
    private final Map<Value, float[]> weightScales = new HashMap<>();

    private Quantiser(OnnxGraph graph, Map<Value, Range> ranges, Int8Target target) {
        this.graph = graph;
        this.target = target;
        this.ranges = ofPoolings(graph, ranges);
        graph.initializers().forEach(one -> constants.put(one.value(), one));
    }

    /** The graph with a rounded backbone, given the range of each of its activations. */
    static OnnxGraph of(OnnxGraph graph, Map<Value, Range> ranges, Int8Target target) throws IOException {
        return new Quantiser(graph, ranges, target).build();
    }

    /** The largest of some values has their range, so that pooling is computed in integers. */
    private static Map<Value, Range> ofPoolings(OnnxGraph graph, Map<Value, Range> observed) {
        Map<Value, Range> ranges = new HashMap<>(observed);
        for (Node node : graph.nodes()) {
            Range ofInput =
                    node.operator().equals("MaxPool") ? ranges.get(node.inputs().get(0)) : null;
            if (ofInput != null) {
                ranges.replace(node.output(), ofInput);
            }
        }
        return ranges;
    }

    private float scale(Value activation) {
        return Objects.requireNonNull(ranges.get(activation)).scale();
    }

    private OnnxGraph build() throws IOException {
        for (Port input : graph.inputs()) {
            round(new Value(input.name()));
        }
        for (Node node : graph.nodes()) {
            nodes.add(Activations.computes(node) ? computing(node) : node);
            round(node.output());
        }
        Set<Value> used = new HashSet<>();
        nodes.forEach(node -> used.addAll(node.inputs()));
        List<Initializer> initializers = new ArrayList<>(graph.initializers().stream()
                .filter(one -> used.contains(one.value()))
                .toList());
        initializers.addAll(added.values());
        return new OnnxGraph(graph.name(), nodes, initializers, graph.inputs(), graph.outputs());
    }

    /** Adds the rounding of a value that is an activation. */
    private void round(Value value) {
        Range range = ranges.get(value);
        if (range == null) {
            return;
        }
        Value scale = added(Initializer.of(value.name() + ".scale", List.of(), new float[] {range.scale()}));
        Value zero = added(Initializer.of(
                value.name() + ".zero", ElementType.UINT8, List.of(), ByteBuffer.wrap(new byte[] {(byte) range.zero()
                })));
        Value integers = new Value(value.name() + ".quantised");
        Value reals = new Value(value.name() + ".dequantised");
        nodes.add(new Node("QuantizeLinear", List.of(value, scale, zero), integers, List.of()));
        nodes.add(new Node("DequantizeLinear", List.of(integers, scale, zero), reals, List.of()));
        rounded.put(value, reals);
    }

    private Node computing(Node node) throws IOException {
        List<Value> inputs = new ArrayList<>(node.inputs());
        inputs.replaceAll(input -> rounded.getOrDefault(input, input));
        if (node.operator().equals("Conv")) {
            inputs.set(1, weight(node));
            if (inputs.size() > 2) {
                inputs.set(2, bias(node));
            }
        }
        return new Node(node.operator(), inputs, node.output(), node.attributes());
    }

    /** The weight [outputs, …] of a convolution, rounded with a scale for each output. */
    private Value weight(Node convolution) throws IOException {
        Value weight = convolution.inputs().get(1);
        Value reals = new Value(weight.name() + ".dequantised");
        if (weightScales.containsKey(weight)) {
            return reals;
        }
        Initializer constant = constant(weight);
        float[] values = constant.floats();
        int outputs = Math.toIntExact(constant.shape().get(0));
        int each = values.length / outputs;
        float[] scales = minScales(convolution, outputs);
        byte[] integers = new byte[values.length];
        for (int o = 0; o < outputs; o++) {
            float largest = 0;
            for (int i = 0; i < each; i++) {
                largest = Math.max(largest, Math.abs(values[o * each + i]));
            }
            scales[o] = Math.max(scales[o], largest == 0 ? 1 : largest / target.maxWeight());
            for (int i = 0; i < each; i++) {
                integers[o * each + i] = (byte) Math.round(values[o * each + i] / scales[o]);
            }
        }
        weightScales.put(weight, scales);
        List<Long> channels = List.of((long) outputs);
        Value stored = added(Initializer.of(
                weight.name() + ".quantised", ElementType.INT8, constant.shape(), ByteBuffer.wrap(integers)));
        Value scale = added(Initializer.of(weight.name() + ".scale", channels, scales));
        Value zero = added(Initializer.of(
                weight.name() + ".zero", ElementType.INT8, channels, ByteBuffer.wrap(new byte[outputs])));
        nodes.add(new Node("DequantizeLinear", List.of(stored, scale, zero), reals, List.of(Attribute.of("axis", 0))));
        return reals;
    }

    /**
     * Scales below which a bias would not fit into its integer. A channel that training has given up may have weights that are
     * nearly zero and yet a bias; its weights are then rounded to zero.
     */
    private float[] minScales(Node convolution, int outputs) throws IOException {
        float[] least = new float[outputs];
        if (convolution.inputs().size() > 2) {
            Value weight = convolution.inputs().get(1);
            double activationScale = graph.nodes().stream()
                    .filter(node -> node.operator().equals("Conv") && Activations.computes(node))
                    .filter(node -> node.inputs().get(1).equals(weight))
                    .mapToDouble(node -> scale(node.inputs().get(0)))
                    .min()
                    .orElseThrow();
            float[] bias = constant(convolution.inputs().get(2)).floats();
            for (int o = 0; o < outputs; o++) {
                least[o] = (float) (Math.abs(bias[o]) / (MAX_BIAS * activationScale));
            }
        }
        return least;
    }

    /** The bias of a convolution in units of both scales; one for each use, since activations differ. */
    private Value bias(Node convolution) throws IOException {
        String use = convolution.output().name();
        float activationScale = scale(convolution.inputs().get(0));
        float[] values = constant(convolution.inputs().get(2)).floats();
        float[] ofWeight =
                Objects.requireNonNull(weightScales.get(convolution.inputs().get(1)));
        float[] scales = new float[values.length];
        ByteBuffer integers = ByteBuffer.allocate(Integer.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int o = 0; o < values.length; o++) {
            scales[o] = activationScale * ofWeight[o];
            integers.putInt(Math.round(values[o] / scales[o]));
        }
        List<Long> channels = List.of((long) values.length);
        Value stored = added(Initializer.of(use + ".bias.quantised", ElementType.INT32, channels, integers.flip()));
        Value scale = added(Initializer.of(use + ".bias.scale", channels, scales));
        Value zero = added(Initializer.of(use + ".bias.zero", channels, new int[values.length]));
        Value reals = new Value(use + ".bias.dequantised");
        nodes.add(new Node("DequantizeLinear", List.of(stored, scale, zero), reals, List.of(Attribute.of("axis", 0))));
        return reals;
    }

    private Initializer constant(Value value) {
        return Objects.requireNonNull(constants.get(value));
    }

    private Value added(Initializer initializer) {
        added.put(initializer.value().name(), initializer);
        return initializer.value();
    }

    /**
     * Which values of a graph are rounded: everything that a convolution, a pooling or an addition of the backbone takes. Values
     * between one of these and its ReLU are not, since runtimes compute both at once; nor are values that only the head takes.
     */
    static final class Activations {

        private static final Set<String> QUANTISED = Set.of("Conv", "MaxPool", "Add");

        private Activations() {}

        /** Whether a node computes with rounded values. */
        static boolean computes(Node node) {
            return node.output().name().startsWith(ModelGraph.BACKBONE) && QUANTISED.contains(node.operator());
        }

        /** The values, in the order of their use. */
        static Set<Value> of(OnnxGraph graph) {
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

    /**
     * The values that an activation takes.
     *
     * @param least at most 0
     * @param largest at least 0
     */
    record Range(float least, float largest) {

        private static final int STEPS = 255;

        Range {
            if (!(least <= 0 && largest >= 0 && Float.isFinite(least) && Float.isFinite(largest))) {
                throw new IllegalArgumentException("an activation lies in " + least + ".." + largest
                        + ", which cannot be rounded; the images or the weights are damaged");
            }
        }

        /** The range of nothing seen yet. Zero belongs to every range, so that padding is exact. */
        static Range empty() {
            return new Range(0, 0);
        }

        Range with(float smaller, float larger) {
            return new Range(Math.min(least, smaller), Math.max(largest, larger));
        }

        /** Difference between activations that are one integer step apart. */
        float scale() {
            float width = largest - least;
            return width == 0 ? 1 : width / STEPS;
        }

        /** The integer that means zero: 0..255. */
        int zero() {
            return Math.max(0, Math.min(STEPS, Math.round(-least / scale())));
        }
    }
}
