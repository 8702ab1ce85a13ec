package io.github.gramian.onnx.export.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.dense.internal.Surface;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.export.internal.BackboneNodes.Features;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.onnx.runtime.internal.Contract;
import io.github.gramian.onnx.runtime.internal.InputKind;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A model of good parts as a graph: one photograph of any size, {@code images}, float [1, 3, height, width], normalised, to the map
 * of scores, {@code scores}, float [1, 1, rows, columns]. It computes what {@link Surface#scores} does.
 */
final class SurfaceGraph {

    /** Layers know their sizes only when the graph runs; convolutions do not ask. */
    private static final int ANY_SIZE = 224;

    private static final Dimension ONE = new Dimension.Fixed(1);

    private final GraphBuilder graph = new GraphBuilder();
    private final Surface.Parts surface;
    private final long dimensions;

    private SurfaceGraph(Surface.Parts surface) {
        this.surface = surface;
        this.dimensions = surface.offset().length;
    }

    /**
     * The graph, which reads the weights of the backbone when it is written.
     *
     * @param steps of a convolutional network, in order
     */
    static OnnxGraph of(List<BackboneStep> steps, Surface.Parts surface) throws ModelException {
        return new SurfaceGraph(surface).build(steps);
    }

    private OnnxGraph build(List<BackboneStep> steps) throws ModelException {
        Value images = graph.input(new Port(
                InputKind.IMAGES.input(0),
                ElementType.FLOAT,
                List.of(ONE, new Dimension.Fixed(3), new Dimension.Named("height"), new Dimension.Named("width"))));
        Weights weights = new Weights(graph, name -> {
            throw new IllegalStateException("a surface has no parameter " + name);
        });
        Map<String, Features> features = new BackboneNodes(graph, weights, steps)
                .features(images, ANY_SIZE, surface.taps(), ModelGraph.BACKBONE);
        graph.within("surface");
        Value sum = reduced(0, features);
        Value grid = graph.joined(List.of(graph.sizes(1L, dimensions), size(sum)), 0);
        for (int tap = 1; tap < surface.taps().size(); tap++) {
            sum = graph.add(sum, resized(reduced(tap, features), grid));
        }
        Value offset =
                graph.constant(Initializer.of("surface.offset", List.of(1L, dimensions, 1L, 1L), surface.offset()));
        Value away = graph.subtract(sum, offset);
        Value distances = graph.each("Sqrt", graph.reduced("ReduceMean", graph.multiply(away, away), 1, true));
        graph.output(
                smoothed(distances),
                new Port(
                        Contract.SCORES,
                        ElementType.FLOAT,
                        List.of(ONE, ONE, new Dimension.Named("rows"), new Dimension.Named("columns"))));
        return graph.build("surface");
    }

    /** The features of a layer, projected and averaged over 3 × 3 cells; at a border, over those that exist. */
    private Value reduced(int tap, Map<String, Features> features) {
        float[] projection = surface.projections().get(tap);
        Features maps = Objects.requireNonNull(features.get(surface.taps().get(tap)));
        List<Long> shape = List.of(dimensions, projection.length / dimensions, 1L, 1L);
        Value matrix = graph.constant(Initializer.of("surface.projection" + (tap + 1), shape, projection));
        Value projected =
                graph.node("Conv", List.of(maps.value(), matrix), Attribute.of("kernel_shape", List.of(1L, 1L)));
        return graph.node(
                "AveragePool",
                List.of(projected),
                Attribute.of("kernel_shape", List.of(3L, 3L)),
                Attribute.of("pads", List.of(1L, 1L, 1L, 1L)),
                Attribute.of("count_include_pad", 0));
    }

    /** Rows and columns of maps. */
    private Value size(Value maps) {
        return graph.node("Shape", List.of(maps), Attribute.of("start", 2), Attribute.of("end", 4));
    }

    /** Maps in another size, interpolated between the centres of their cells. */
    private Value resized(Value maps, Value sizes) {
        return graph.node(
                "Resize",
                List.of(maps, GraphBuilder.NONE, GraphBuilder.NONE, sizes),
                Attribute.of("mode", "linear"),
                Attribute.of("coordinate_transformation_mode", "half_pixel"));
    }

    /** Cells beyond a border equal the nearest one inside. */
    private Value smoothed(Value map) {
        float[] kernel = Surface.smoothing();
        long length = kernel.length;
        long radius = length / 2;
        Value border = graph.sizes(0L, 0L, radius, radius, 0L, 0L, radius, radius);
        Value padded = graph.node("Pad", List.of(map, border), Attribute.of("mode", "edge"));
        Value columns = convolved(padded, Initializer.of("surface.columns", List.of(1L, 1L, length, 1L), kernel));
        return convolved(columns, Initializer.of("surface.rows", List.of(1L, 1L, 1L, length), kernel));
    }

    private Value convolved(Value map, Initializer kernel) {
        return graph.node(
                "Conv",
                List.of(map, graph.constant(kernel)),
                Attribute.of("kernel_shape", kernel.shape().subList(2, 4)));
    }
}
