package io.github.gramian.onnx.quantisation.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.onnx.graph.internal.Attribute;
import io.github.gramian.onnx.graph.internal.Dimension;
import io.github.gramian.onnx.graph.internal.ElementType;
import io.github.gramian.onnx.graph.internal.Graph;
import io.github.gramian.onnx.graph.internal.Node;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.Port;
import io.github.gramian.onnx.graph.internal.Value;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.parity.internal.Views;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Finds the range of every activation: the graph with a smallest and a largest value of each as outputs, run on images. */
record Calibration(Graph graph, OnnxFile.About about, List<Preprocessing> scales, boolean pixels) {

    /**
     * Observed activations.
     *
     * @param ranges of the activations
     * @param images that could be read
     */
    record Observed(Map<Value, Range> ranges, int images) {}

    /** Runs all images; writes a file with probes into a folder. */
    Observed observe(SampleImages images, Path folder) throws IOException {
        Path probed = folder.resolve("probes.onnx");
        OnnxFile.writeExternal(probed, probed(), about);
        Map<Value, Range> ranges = new LinkedHashMap<>();
        Set<String> outputs = new LinkedHashSet<>();
        for (Value activation : Activations.of(graph)) {
            ranges.put(activation, Range.empty());
            outputs.add(probe(activation, "ReduceMin"));
            outputs.add(probe(activation, "ReduceMax"));
        }
        int observed = 0;
        try (GraphSession session = GraphSession.of(probed, scales, pixels)) {
            for (int i = 0; i < images.count(); i++) {
                List<List<RgbImage>> views = Views.batch(images, i, i + 1, scales);
                if (!views.get(0).isEmpty()) {
                    widen(ranges, session.run(Views.pixels(views, scales, session.channelOrder()), 1, outputs));
                    observed++;
                }
            }
        }
        if (observed == 0) {
            throw new IllegalArgumentException(
                    "none of the labelled files whose activations are observed is an image that can be read; give others");
        }
        return new Observed(ranges, observed);
    }

    private static void widen(Map<Value, Range> ranges, Map<String, float[][]> found) {
        ranges.replaceAll((activation, range) -> {
            Range wider = range;
            float[][] least = Objects.requireNonNull(found.get(probe(activation, "ReduceMin")));
            float[][] largest = Objects.requireNonNull(found.get(probe(activation, "ReduceMax")));
            for (int i = 0; i < least.length; i++) {
                wider = wider.with(least[i][0], largest[i][0]);
            }
            return wider;
        });
    }

    private Graph probed() {
        List<Node> nodes = new ArrayList<>(graph.nodes());
        List<Port> outputs = new ArrayList<>(graph.outputs());
        for (Value activation : Activations.of(graph)) {
            Value flat = new Value("probe/flat/" + activation.name());
            nodes.add(new Node("Flatten", List.of(activation), flat, List.of(Attribute.of("axis", 1))));
            for (String operator : List.of("ReduceMin", "ReduceMax")) {
                String name = probe(activation, operator);
                nodes.add(new Node(
                        operator,
                        List.of(flat),
                        new Value(name),
                        List.of(Attribute.of("axes", List.of(1L)), Attribute.of("keepdims", 1))));
                outputs.add(new Port(
                        name, ElementType.FLOAT, List.of(new Dimension.Named("batch"), new Dimension.Fixed(1))));
            }
        }
        return new Graph(graph.name(), nodes, graph.initializers(), graph.inputs(), outputs);
    }

    private static String probe(Value activation, String operator) {
        return "probe/" + operator + "/" + activation.name();
    }
}
