package io.github.gramian.onnx.quantisation;

import io.github.gramian.onnx.graph.Attribute;
import io.github.gramian.onnx.graph.ElementType;
import io.github.gramian.onnx.graph.Graph;
import io.github.gramian.onnx.graph.Initializer;
import io.github.gramian.onnx.graph.Node;
import io.github.gramian.onnx.graph.Port;
import io.github.gramian.onnx.graph.Value;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Rounds the backbone of a graph to 8 bits in the way that runtimes recognise: behind every activation stands a {@code
 * QuantizeLinear} and a {@code DequantizeLinear}, weights are 8-bit constants behind a {@code DequantizeLinear}, and a runtime
 * that knows integer convolutions joins them. Activations are 0..255 with a zero of their own, weights −64..64 with a scale for
 * each output channel, biases 32-bit integers in units of both scales.
 */
final class Quantiser {

    /**
     * Seven bits, not eight: x86 processors without VNNI add pairs of products in 16 bits, and 2 · 255 · 64 is the largest such
     * sum that does not saturate. The file then computes the same on every processor.
     */
    private static final int LARGEST_WEIGHT = 64;

    private final Graph graph;
    private final Map<Value, Range> ranges;
    private final Map<Value, Initializer> constants = new HashMap<>();
    private final Map<String, Initializer> added = new LinkedHashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Value, Value> rounded = new HashMap<>();
    private final Map<Value, float[]> weightScales = new HashMap<>();

    private Quantiser(Graph graph, Map<Value, Range> ranges) {
        this.graph = graph;
        this.ranges = ranges;
        graph.initializers().forEach(one -> constants.put(one.value(), one));
    }

    /** The graph with a rounded backbone, given the range of each of its activations. */
    static Graph of(Graph graph, Map<Value, Range> ranges) throws IOException {
        return new Quantiser(graph, ranges).build();
    }

    private Graph build() throws IOException {
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
        return new Graph(graph.name(), nodes, initializers, graph.inputs(), graph.outputs());
    }

    /** Adds the rounding of a value that is an activation. */
    private void round(Value value) {
        Range range = ranges.get(value);
        if (range == null) {
            return;
        }
        Range own = poolingInput(value).map(ranges::get).orElse(range);
        Value scale = constant(Initializer.of(value.name() + ".scale", List.of(), new float[] {own.scale()}));
        Value zero = constant(Initializer.of(
                value.name() + ".zero", ElementType.UINT8, List.of(), ByteBuffer.wrap(new byte[] {(byte) own.zero()})));
        Value integers = new Value(value.name() + ".quantised");
        Value reals = new Value(value.name() + ".dequantised");
        nodes.add(new Node("QuantizeLinear", List.of(value, scale, zero), integers, List.of()));
        nodes.add(new Node("DequantizeLinear", List.of(integers, scale, zero), reals, List.of()));
        rounded.put(value, reals);
    }

    /** The largest of some values has their scale, so that a pooling stays among integers. */
    private java.util.Optional<Value> poolingInput(Value value) {
        return graph.nodes().stream()
                .filter(node -> node.output().equals(value) && node.operator().equals("MaxPool"))
                .map(node -> node.inputs().get(0))
                .filter(ranges::containsKey)
                .findFirst();
    }

    private Node computing(Node node) throws IOException {
        List<Value> inputs = new ArrayList<>(node.inputs());
        inputs.replaceAll(input -> rounded.getOrDefault(input, input));
        if (node.operator().equals("Conv")) {
            Value activation = node.inputs().get(0);
            Value weight = node.inputs().get(1);
            inputs.set(1, weight(weight));
            if (inputs.size() > 2) {
                float scale = Objects.requireNonNull(ranges.get(activation)).scale();
                inputs.set(
                        2,
                        bias(node.inputs().get(2), weight, scale, node.output().name()));
            }
        }
        return new Node(node.operator(), inputs, node.output(), node.attributes());
    }

    /** A weight [outputs, …] rounded with a scale for each output. */
    private Value weight(Value weight) throws IOException {
        Value reals = new Value(weight.name() + ".dequantised");
        if (weightScales.containsKey(weight)) {
            return reals;
        }
        Initializer constant = Objects.requireNonNull(constants.get(weight));
        float[] numbers = constant.floats();
        int outputs = Math.toIntExact(constant.shape().get(0));
        int each = numbers.length / outputs;
        float[] scales = new float[outputs];
        byte[] integers = new byte[numbers.length];
        for (int o = 0; o < outputs; o++) {
            float largest = 0;
            for (int i = 0; i < each; i++) {
                largest = Math.max(largest, Math.abs(numbers[o * each + i]));
            }
            scales[o] = largest == 0 ? 1 : largest / LARGEST_WEIGHT;
            for (int i = 0; i < each; i++) {
                integers[o * each + i] = (byte) Math.round(numbers[o * each + i] / scales[o]);
            }
        }
        weightScales.put(weight, scales);
        List<Long> channels = List.of((long) outputs);
        Value stored = constant(Initializer.of(
                weight.name() + ".quantised", ElementType.INT8, constant.shape(), ByteBuffer.wrap(integers)));
        Value scale = constant(Initializer.of(weight.name() + ".scale", channels, scales));
        Value zero = constant(Initializer.of(
                weight.name() + ".zero", ElementType.INT8, channels, ByteBuffer.wrap(new byte[outputs])));
        nodes.add(new Node("DequantizeLinear", List.of(stored, scale, zero), reals, List.of(Attribute.of("axis", 0))));
        return reals;
    }

    /** A bias in units of both scales; one for each use, since activations differ. */
    private Value bias(Value bias, Value weight, float activationScale, String use) throws IOException {
        float[] numbers = Objects.requireNonNull(constants.get(bias)).floats();
        float[] ofWeight = Objects.requireNonNull(weightScales.get(weight));
        float[] scales = new float[numbers.length];
        ByteBuffer integers =
                ByteBuffer.allocate(Integer.BYTES * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int o = 0; o < numbers.length; o++) {
            scales[o] = activationScale * ofWeight[o];
            integers.putInt(Math.round(numbers[o] / scales[o]));
        }
        List<Long> channels = List.of((long) numbers.length);
        Value stored = constant(Initializer.of(use + ".bias.quantised", ElementType.INT32, channels, integers.flip()));
        Value scale = constant(Initializer.of(use + ".bias.scale", channels, scales));
        Value zero = constant(Initializer.of(use + ".bias.zero", channels, new int[numbers.length]));
        Value reals = new Value(use + ".bias.dequantised");
        nodes.add(new Node("DequantizeLinear", List.of(stored, scale, zero), reals, List.of(Attribute.of("axis", 0))));
        return reals;
    }

    private Value constant(Initializer initializer) {
        added.put(initializer.value().name(), initializer);
        return initializer.value();
    }
}
