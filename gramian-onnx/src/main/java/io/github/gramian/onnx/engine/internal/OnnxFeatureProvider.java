package io.github.gramian.onnx.engine.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.engine.internal.FrozenEngine;
import io.github.gramian.backbone.engine.internal.FrozenRequest;
import io.github.gramian.backbone.internal.FrozenEngineProvider;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.export.internal.BackboneGraph;
import io.github.gramian.onnx.runtime.internal.OnnxProvider;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Frozen backbones on ONNX Runtime. It fuses convolution, sum and ReLU and packs weights once, which makes it faster than
 * LibTorch in float on CPUs (docs/performance.md has the figures).
 */
public final class OnnxFeatureProvider implements FrozenEngineProvider {

    /** While a session is created, the weights are in memory three times. */
    private static final long MAX_BYTES = 1L << 30;

    /** A graph for all sizes is made with the shapes of one size, which are not used. */
    private static final int SOME_SIZE = 64;

    @Override
    public String name() {
        return new OnnxProvider().engine();
    }

    @Override
    public Optional<FrozenEngine> open(List<BackboneStep> steps, FrozenRequest request) throws IOException {
        BackboneGraph graph;
        try {
            graph = request.size() == FrozenRequest.ANY_SIZE
                    ? BackboneGraph.ofAnySize(steps, request.taps(), SOME_SIZE)
                    : BackboneGraph.of(steps, request.taps(), request.size());
        } catch (ModelException e) {
            return Optional.empty(); // a layer that makes vectors
        }
        long bytes = graph.graph().initializers().stream()
                .mapToLong(initializer -> initializer.bytes())
                .sum();
        return bytes > MAX_BYTES
                ? Optional.empty()
                : Optional.of(OnnxFeatureEngine.open(
                        graph.graph(), size -> outputs(steps, request.taps(), size), request.threads()));
    }

    /** The shapes of features follow from the size alone, so weights are not read. */
    private static List<BackboneGraph.Output> outputs(List<BackboneStep> steps, List<String> taps, int size) {
        try {
            return BackboneGraph.of(steps, taps, size).outputs();
        } catch (ModelException e) {
            throw new IllegalStateException("a graph of the same layers was made before", e);
        }
    }
}
