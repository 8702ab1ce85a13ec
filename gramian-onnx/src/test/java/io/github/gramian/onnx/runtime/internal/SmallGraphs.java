package io.github.gramian.onnx.runtime.internal;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.ModelMetadata;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Models whose descriptor is their input, value by value, of all scales one after the other, and whose probabilities are
 * softmax of the first values: whatever reaches the graph can be seen from outside.
 *
 * @param sizes of the scales, in pixels a side
 * @param pixels whether the graph takes uint8
 */
record SmallGraphs(List<Integer> sizes, Normalisation normalisation, boolean pixels) {

    static final List<String> CLASSES = List.of("moss", "bark", "sand");

    ModelDescription description() {
        return new ModelDescription(
                new NetworkConfig(
                        sizes.stream()
                                .map(size -> BranchConfig.average("res5b", size))
                                .toList(),
                        1),
                sizes.stream().map(size -> 3 * size * size).toList(),
                CLASSES,
                new ModelDescription.BackboneNote("resnet18-torchvision", "abc", Precision.BFLOAT16, true),
                sizes.stream()
                        .map(size -> Preprocessing.centre(size, size, Interpolation.BILINEAR, normalisation))
                        .toList(),
                Optional.empty(),
                Map.of());
    }

    /** As the exporter writes them. */
    Map<String, String> metadata() {
        Map<String, String> metadata = ModelMetadata.of(description());
        ModelMetadata.seal(metadata);
        return Map.of(Contract.MODEL, ModelMetadata.toJson(metadata));
    }

    Path write(Path file) throws IOException {
        return write(file, metadata());
    }

    Path write(Path file, Map<String, String> metadata) throws IOException {
        GraphBuilder graph = new GraphBuilder();
        List<Value> flat = new ArrayList<>();
        for (int scale = 0; scale < sizes.size(); scale++) {
            flat.add(graph.node("Flatten", List.of(values(graph, scale))));
        }
        Value descriptor = graph.node("Concat", flat, new Attribute.Whole("axis", 1));
        Value starts = graph.constant(Initializer.of("starts", List.of(1L), 0L));
        Value ends = graph.constant(Initializer.of("ends", List.of(1L), (long) CLASSES.size()));
        Value axes = graph.constant(Initializer.of("axes", List.of(1L), 1L));
        Value first = graph.node("Slice", List.of(descriptor, starts, ends, axes));
        Dimension batch = new Dimension.Named("batch");
        graph.output(
                graph.node("Softmax", List.of(first)),
                new Port("probabilities", ElementType.FLOAT, List.of(batch, new Dimension.Fixed(CLASSES.size()))));
        long length = sizes.stream().mapToLong(size -> 3L * size * size).sum();
        graph.output(
                descriptor, new Port("descriptor", ElementType.FLOAT, List.of(batch, new Dimension.Fixed(length))));
        OnnxFile.write(file, graph.build("small"), new OnnxFile.About("0", metadata));
        return file;
    }

    private Value values(GraphBuilder graph, int scale) {
        Dimension batch = new Dimension.Named("batch");
        Dimension side = new Dimension.Fixed(sizes.get(scale));
        Dimension three = new Dimension.Fixed(3);
        String number = scale == 0 ? "" : "_" + scale;
        if (!pixels) {
            return graph.input(new Port("images" + number, ElementType.FLOAT, List.of(batch, three, side, side)));
        }
        Value samples = graph.input(new Port("pixels" + number, ElementType.UINT8, List.of(batch, side, side, three)));
        return graph.node("Cast", List.of(samples), new Attribute.Whole("to", 1));
    }
}
