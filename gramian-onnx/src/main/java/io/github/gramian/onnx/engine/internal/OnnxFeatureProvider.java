package io.github.gramian.onnx.engine.internal;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.engine.internal.FrozenEngine;
import io.github.gramian.backbone.engine.internal.FrozenRequest;
import io.github.gramian.backbone.internal.FrozenEngineProvider;
import io.github.gramian.io.internal.ProtobufMessage;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.export.internal.BackboneGraph;
import io.github.gramian.onnx.export.internal.BackboneGraph.Output;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import io.github.gramian.onnx.runtime.internal.OnnxProvider;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

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

    /**
     * One backbone in a session of ONNX Runtime. The session reads images from LibTorch's memory and writes features into it, so
     * nothing is copied on the way.
     */
    private static final class OnnxFeatureEngine implements FrozenEngine {

        /** Larger batches are computed in parts. They would not be faster, and the session retains memory for its largest batch. */
        private static final long MAX_BATCH = 32;

        private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

        private final OrtSession session;
        private final IntFunction<List<Output>> outputs;
        private final Map<Integer, List<Output>> outputsBySize = new ConcurrentHashMap<>();

        private OnnxFeatureEngine(OrtSession session, IntFunction<List<Output>> outputs) {
            this.session = session;
            this.outputs = outputs;
        }

        /** @param outputs names and shapes of the features of images of some size */
        static OnnxFeatureEngine open(OnnxGraph graph, IntFunction<List<Output>> outputs, int threads)
                throws IOException {
            ProtobufMessage content = OnnxFile.content(graph);
            try (Scope scope = Scope.open()) {
                // A tensor as memory, since Java's own buffers are freed late.
                Tensor memory = TensorBytes.allocate(TensorType.U8, content.size());
                ByteBuffer bytes = new BytePointer(memory.data_ptr())
                        .capacity(content.size())
                        .asByteBuffer();
                content.writeTo(new MemoryChannel(bytes.duplicate()));
                return new OnnxFeatureEngine(GraphSession.load(bytes, threads), outputs);
            } catch (OrtException e) {
                throw new IOException(e.getMessage(), e);
            }
        }

        @Override
        public String name() {
            return new OnnxProvider().engine();
        }

        @Override
        public List<Tensor> features(Tensor images) {
            try (Scope scope = Scope.open()) {
                Tensor floats = FLOAT.place(images.detach()).contiguous();
                List<Output> wanted = outputsBySize.computeIfAbsent(Math.toIntExact(images.size(2)), outputs::apply);
                List<List<Tensor>> parts = new ArrayList<>();
                for (long from = 0; from < floats.size(0); from += MAX_BATCH) {
                    parts.add(run(floats.narrow(0, from, Math.min(MAX_BATCH, floats.size(0) - from)), wanted));
                }
                List<Tensor> features = new ArrayList<>();
                for (int output = 0; output < wanted.size(); output++) {
                    int index = output;
                    Tensor joined =
                            joined(parts.stream().map(part -> part.get(index)).toList());
                    features.add(scope.promote(joined.contiguous(MemoryFormat.ChannelsLast)));
                }
                return features;
            }
        }

        private static Tensor joined(List<Tensor> parts) {
            return parts.size() == 1 ? parts.get(0) : torch.cat(new TensorVector(parts.toArray(Tensor[]::new)), 0);
        }

        /** The features of a few images [batch, 3, size, size], contiguous. */
        private List<Tensor> run(Tensor images, List<Output> wanted) {
            List<Tensor> features = new ArrayList<>();
            Map<String, OnnxTensor> written = new HashMap<>();
            try (OnnxTensor input = view(images)) {
                for (Output output : wanted) {
                    long[] shape = {images.size(0), output.channels(), output.side(), output.side()};
                    Tensor tensor = TensorBytes.allocate(TensorType.F32, shape);
                    features.add(tensor);
                    written.put(output.name(), view(tensor));
                }
                session.run(Map.of(BackboneGraph.INPUT, input), written).close();
                return features;
            } catch (OrtException e) {
                throw new IllegalStateException("ONNX Runtime failed: " + e.getMessage(), e);
            } finally {
                written.values().forEach(OnnxTensor::close);
            }
        }

        /** LibTorch's memory as a tensor of ONNX Runtime; it is valid as long as the tensor is. */
        private static OnnxTensor view(Tensor tensor) throws OrtException {
            FloatBuffer memory =
                    tensor.data_ptr_float().capacity(tensor.numel()).asBuffer();
            return OnnxTensor.createTensor(
                    GraphSession.environment(), memory, tensor.sizes().vec().get());
        }

        @Override
        public void close() {
            try {
                session.close();
            } catch (OrtException e) {
                throw new IllegalStateException("ONNX Runtime cannot be closed: " + e.getMessage(), e);
            }
        }

        /** Writes into memory that is large enough. */
        private record MemoryChannel(ByteBuffer memory) implements WritableByteChannel {

            @Override
            public int write(ByteBuffer source) {
                int bytes = source.remaining();
                memory.put(source);
                return bytes;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        }
    }
}
