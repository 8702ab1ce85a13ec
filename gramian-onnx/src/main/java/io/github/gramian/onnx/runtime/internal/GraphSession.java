package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.ModelException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** An exported graph on ONNX Runtime: pixels in, named outputs out. Many threads may run it at once. */
public final class GraphSession implements AutoCloseable {

    private final OrtSession session;
    private final List<Preprocessing> preprocessing;
    private final InputKind kind;
    private final PixelMemory memory = new PixelMemory();

    /**
     * Of a file that was loaded.
     *
     * @param preprocessing of what it will be given, for each of its inputs
     */
    GraphSession(OrtSession session, List<Preprocessing> preprocessing, InputKind kind) {
        this.session = session;
        this.preprocessing = List.copyOf(preprocessing);
        this.kind = kind;
    }

    /**
     * Loads a file that was just written, with a thread for each processor.
     *
     * @param preprocessing of what it will be given, for each of its inputs
     * @param pixels whether it takes pixels
     */
    public static GraphSession of(Path file, List<Preprocessing> preprocessing, boolean pixels) throws ModelException {
        try {
            return new GraphSession(
                    load(file, Runtime.getRuntime().availableProcessors()), preprocessing, InputKind.of(pixels));
        } catch (OrtException e) {
            throw new ModelException("ONNX Runtime rejects " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Loads a file; the caller closes it.
     *
     * @param threads that compute one batch; those of several batches at once add up
     */
    static OrtSession load(Path file, int threads) throws OrtException, ModelException {
        requireName(file);
        try (OrtSession.SessionOptions options = options(threads)) {
            return environment().createSession(file.toString(), options);
        }
    }

    /**
     * Loads a graph from memory, which may be freed afterwards; the caller closes the session.
     *
     * @param threads that compute one batch
     */
    public static OrtSession load(ByteBuffer graph, int threads) throws OrtException {
        try (OrtSession.SessionOptions options = options(threads)) {
            return environment().createSession(graph, options);
        }
    }

    /** ONNX Runtime as it is set up here; the first call of the process decides what it logs. */
    public static OrtEnvironment environment() throws OrtException {
        RuntimeLibrary.settle();
        // Only what ends in an error is worth a line on the terminal, and that becomes an exception.
        OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
        environment.setTelemetry(false); // on Windows it reports by default
        return environment;
    }

    /** The version of ONNX Runtime; starts it if that has not happened yet. */
    static String version() {
        try {
            return environment().getVersion();
        } catch (OrtException e) {
            throw new IllegalStateException("ONNX Runtime cannot be started: " + e.getMessage(), e);
        }
    }

    private static OrtSession.SessionOptions options(int threads) throws OrtException {
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(threads);
        options.setInterOpNumThreads(1);
        // Waiting threads sleep: they would take the processors from those that decode images.
        options.addConfigEntry("session.intra_op.allow_spinning", "0");
        return options;
    }

    /**
     * Checks that ONNX Runtime can open a file of this name. Its Java code passes names on as modified UTF-8, which differs
     * from UTF-8 for characters outside of the basic plane, so it would report that the file does not exist.
     */
    public static void requireName(Path file) throws ModelException {
        String name = file.toAbsolutePath().toString();
        Optional<String> wrong = name.codePoints()
                .filter(Character::isSupplementaryCodePoint)
                .mapToObj(Character::toString)
                .findFirst();
        if (wrong.isPresent()) {
            throw new ModelException("ONNX Runtime cannot open " + file + " because its path contains " + wrong.get()
                    + "; rename the file or directory");
        }
    }

    /** The layout in which it takes values without moving them around. */
    public ChannelOrder channelOrder() {
        return kind.order();
    }

    /** Probabilities alone: [images, classes]. */
    public float[][] probabilities(List<InputPixels> scales, int views) {
        return Objects.requireNonNull(
                run(scales, views, Set.of(Contract.PROBABILITIES)).get(Contract.PROBABILITIES));
    }

    /**
     * Runs all images at once.
     *
     * @param scales the views of all images, for each of the inputs, in {@link #channelOrder}
     * @param views of an image, whose results are fused by their mean
     * @return for each output [images, columns]
     */
    public Map<String, float[][]> run(List<InputPixels> scales, int views, Set<String> outputs) {
        Map<String, Input> inputs = new HashMap<>();
        try {
            for (int scale = 0; scale < scales.size(); scale++) {
                inputs.put(
                        kind.input(scale),
                        Input.of(scales.get(scale), preprocessing.get(scale).normalisation(), kind, memory));
            }
            return run(inputs, new Rows(scales.get(0).rows(), views), outputs);
        } catch (OrtException failure) {
            throw new IllegalStateException("ONNX Runtime failed: " + failure.getMessage(), failure);
        } finally {
            inputs.values().forEach(Input::close);
        }
    }

    private Map<String, float[][]> run(Map<String, Input> inputs, Rows rows, Set<String> outputs) throws OrtException {
        Map<String, OnnxTensor> tensors = new HashMap<>();
        inputs.forEach((name, input) -> tensors.put(name, input.tensor()));
        try (OrtSession.Result result = session.run(tensors, outputs)) {
            Map<String, float[][]> found = new HashMap<>();
            for (String output : outputs) {
                found.put(output, rows.fused((OnnxTensor) result.get(output)
                        .orElseThrow(() -> new IllegalStateException("ONNX Runtime gave no '" + output + "'"))));
            }
            return found;
        }
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (OrtException failure) {
            throw new IllegalStateException("ONNX Runtime cannot be closed: " + failure.getMessage(), failure);
        }
    }
}
