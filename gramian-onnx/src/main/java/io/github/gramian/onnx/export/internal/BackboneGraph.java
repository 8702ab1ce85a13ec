package io.github.gramian.onnx.export.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.export.internal.BackboneNodes.Features;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A backbone alone as a graph: {@link #INPUT}, float [batch, 3, size, size], to the features of some layers, float [batch,
 * channels, side, side]. The size is fixed, or the graph computes images of all sizes.
 *
 * @param graph reads the weights when it is written
 * @param outputs the features of images of one size, in the order of the layers that were asked for
 */
public record BackboneGraph(OnnxGraph graph, List<Output> outputs) {

    public static final String INPUT = "images";

    private static final Dimension BATCH = new Dimension.Named("batch");

    /** The features of one layer: its name in the graph, and its shape for one image. */
    public record Output(String name, int channels, int side) {}

    public BackboneGraph {
        outputs = List.copyOf(outputs);
    }

    /**
     * The graph for images of one size, up to the last of some layers.
     *
     * @param steps what the network computes, in order
     * @param taps distinct names of layers
     * @param size side of the images, in pixels
     * @throws ModelException if one of the layers has no operators in ONNX
     */
    public static BackboneGraph of(List<BackboneStep> steps, List<String> taps, int size) throws ModelException {
        return of(steps, taps, size, new Dimension.Fixed(size));
    }

    /**
     * The graph for images of all sizes; not for networks with positions of patches, whose number is part of the graph.
     *
     * @param size side of the images that {@link #outputs} describes
     */
    public static BackboneGraph ofAnySize(List<BackboneStep> steps, List<String> taps, int size) throws ModelException {
        if (steps.stream().anyMatch(BackboneStep.Embedding.class::isInstance)) {
            throw new IllegalArgumentException("a network with patches needs a graph for each size");
        }
        return of(steps, taps, size, new Dimension.Named("side"));
    }

    private static BackboneGraph of(List<BackboneStep> steps, List<String> taps, int size, Dimension side)
            throws ModelException {
        GraphBuilder builder = new GraphBuilder();
        Weights weights = new Weights(builder, name -> {
            throw new IllegalStateException("a backbone has no parameter " + name);
        });
        Value images =
                builder.input(new Port(INPUT, ElementType.FLOAT, List.of(BATCH, new Dimension.Fixed(3), side, side)));
        Map<String, Features> features =
                new BackboneNodes(builder, weights, steps).features(images, size, taps, ModelGraph.BACKBONE);
        List<Output> outputs = new ArrayList<>();
        for (String tap : taps) {
            Features found = features.get(tap);
            if (found == null) {
                throw new ModelException("the backbone has no layer '" + tap + "'");
            }
            Output output = new Output("features_" + outputs.size(), found.channels(), found.side());
            builder.output(found.value(), port(output, side));
            outputs.add(output);
        }
        return new BackboneGraph(builder.build(ModelGraph.BACKBONE), outputs);
    }

    private static Port port(Output output, Dimension ofImages) {
        Dimension side = ofImages instanceof Dimension.Fixed
                ? new Dimension.Fixed(output.side())
                : new Dimension.Named(output.name() + "_side");
        return new Port(
                output.name(), ElementType.FLOAT, List.of(BATCH, new Dimension.Fixed(output.channels()), side, side));
    }
}
