package io.github.gramian.onnx.export.internal;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A whole model as a graph. Inputs, one for each size of images: {@code images}, {@code images_1}, …: float [batch, 3, size,
 * size], normalised; or {@code pixels}, {@code pixels_1}, …: uint8 [batch, size, size, 3], red, green, blue. Outputs: {@code
 * probabilities} [batch, classes], {@code logits} [batch, classes], whose softmax they are, and {@code descriptor} [batch,
 * length].
 */
public final class ModelGraph {

    /** Prefix of the names of the backbone's nodes. */
    public static final String BACKBONE = "backbone";

    private static final Dimension BATCH = new Dimension.Named("batch");

    private final GraphBuilder graph = new GraphBuilder();
    private final ConvolutionalBackbone backbone;
    private final Network network;
    private final List<Preprocessing> preprocessing;
    private final boolean pixels;
    private final Weights weights;

    private ModelGraph(
            ConvolutionalBackbone backbone, Network network, List<Preprocessing> preprocessing, boolean pixels) {
        this.backbone = backbone;
        this.network = network;
        this.preprocessing = preprocessing;
        this.pixels = pixels;
        this.weights = new Weights(graph, name -> network.parameter(name).value());
    }

    /**
     * The graph of a model; it reads the weights when it is written, so backbone and network must remain open.
     *
     * @param preprocessing of each of the network's sizes, in their order
     * @param pixels whether it takes pixels and normalises them itself
     */
    public static OnnxGraph of(
            ConvolutionalBackbone backbone, Network network, List<Preprocessing> preprocessing, boolean pixels)
            throws ModelException {
        Exportable.check(network);
        return new ModelGraph(backbone, network, preprocessing, pixels).build();
    }

    private OnnxGraph build() throws ModelException {
        BackboneNodes nodes = new BackboneNodes(graph, weights, backbone.steps());
        List<FeatureRequest.Scale> scales = NetworkFeatures.of(network.config()).scales();
        Value[] descriptors = new Value[network.config().branches().size()];
        for (int s = 0; s < scales.size(); s++) {
            FeatureRequest.Scale scale = scales.get(s);
            String part = s == 0 ? BACKBONE : BACKBONE + "_" + s;
            Map<String, Features> features = nodes.features(images(s), scale.size(), scale.taps(), part);
            for (int b : scale.branches()) {
                BranchConfig branch = network.config().branches().get(b);
                descriptors[b] = new BranchNodes(graph, weights, "branch" + (b + 1))
                        .descriptor(branch, Objects.requireNonNull(features.get(branch.tap())));
            }
        }
        Value descriptor = graph.joined(Arrays.asList(descriptors), 1);
        graph.within("classifier");
        Value scores = graph.node(
                "Gemm",
                List.of(descriptor, weights.parameter("classifier.weight"), weights.parameter("classifier.bias")),
                Attribute.of("transB", 1));
        Value logits = graph.multiply(scores, network.config().logitScale());
        Value probabilities = graph.softmax(logits, 1);
        graph.output(probabilities, output(Contract.PROBABILITIES, network.classes()));
        graph.output(logits, output(Contract.LOGITS, network.classes()));
        graph.output(descriptor, output(Contract.DESCRIPTOR, network.descriptorLength()));
        return graph.build(backbone.name());
    }

    /** The normalised images of one size. */
    private Value images(int scale) {
        Dimension size = new Dimension.Fixed(preprocessing.get(scale).size());
        String name = InputKind.of(pixels).input(scale);
        Dimension three = new Dimension.Fixed(3);
        if (!pixels) {
            return graph.input(new Port(name, ElementType.FLOAT, List.of(BATCH, three, size, size)));
        }
        Value input = graph.input(new Port(name, ElementType.UINT8, List.of(BATCH, size, size, three)));
        graph.within("normalisation");
        return normalised(input, preprocessing.get(scale).normalisation());
    }

    /** Channels in the network's order, each v·factor + offset, as [batch, 3, height, width]. */
    private Value normalised(Value input, Normalisation normalisation) {
        int[] sources = new int[3];
        float[] factors = new float[3];
        float[] offsets = new float[3];
        for (int c = 0; c < 3; c++) {
            Normalisation.Channel channel = normalisation.channel(c);
            sources[c] = channel.source();
            factors[c] = (float) channel.factor();
            offsets[c] = (float) channel.offset();
        }
        List<Long> three = List.of(3L);
        Value floats = graph.floats(input);
        Value ordered = Arrays.equals(sources, new int[] {0, 1, 2})
                ? floats
                : graph.taken(floats, graph.constant(Initializer.of("normalisation.order", three, sources)), 3);
        Value scaled = graph.multiply(ordered, graph.constant(Initializer.of("normalisation.factors", three, factors)));
        Value shifted = graph.add(scaled, graph.constant(Initializer.of("normalisation.offsets", three, offsets)));
        return graph.permuted(shifted, 0, 3, 1, 2);
    }

    private static Port output(String name, long size) {
        return new Port(name, ElementType.FLOAT, List.of(BATCH, new Dimension.Fixed(size)));
    }
}
