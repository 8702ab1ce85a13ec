package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.natives.internal.Natives;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

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

    /**
     * The map of scores of a photograph.
     *
     * @param values score of each cell, row by row
     * @param columns number of columns
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    record ScoreMap(float[] values, int columns) {}

    /** The scores of a photograph, from a model of good parts. */
    ScoreMap scores(RgbImage photograph, Normalisation normalisation) {
        float[] pixels = new float[photograph.pixels().length];
        normalisation.write(photograph, kind.order(), pixels, 0);
        long[] shape = {1, 3, photograph.height(), photograph.width()};
        try (Input input = Input.of(pixels, shape, memory);
                OrtSession.Result result =
                        session.run(Map.of(kind.input(0), input.tensor()), Set.of(Contract.SCORES))) {
            OnnxTensor map = (OnnxTensor) result.get(0);
            FloatBuffer found = map.getFloatBuffer();
            float[] values = new float[found.remaining()];
            found.get(values);
            return new ScoreMap(values, Math.toIntExact(map.getInfo().getShape()[3]));
        } catch (OrtException failure) {
            throw new IllegalStateException("ONNX Runtime failed: " + failure.getMessage(), failure);
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

    /** The pixels of a batch as a tensor; closing it returns their memory. */
    private static final class Input implements AutoCloseable {

        private final PixelMemory memory;
        private final ByteBuffer bytes;
        private final OnnxTensor tensor;

        private Input(PixelMemory memory, ByteBuffer bytes, OnnxTensor tensor) {
            this.memory = memory;
            this.bytes = bytes;
            this.tensor = tensor;
        }

        /** Copies pixels once. */
        static Input of(InputPixels pixels, Normalisation normalisation, InputKind kind, PixelMemory memory)
                throws OrtException {
            return of(
                    pixels.length(),
                    kind.type(),
                    kind.shape(pixels.rows(), pixels.size()),
                    bytes -> kind.write(pixels, normalisation, bytes),
                    memory);
        }

        /** Copies normalised pixels once. */
        static Input of(float[] pixels, long[] shape, PixelMemory memory) throws OrtException {
            return of(
                    pixels.length,
                    OnnxJavaType.FLOAT,
                    shape,
                    bytes -> {
                        bytes.asFloatBuffer().put(pixels);
                        bytes.limit(Math.multiplyExact(pixels.length, Float.BYTES));
                    },
                    memory);
        }

        /** @param write fills memory from its start, and ends it after what was written */
        private static Input of(
                long values, OnnxJavaType type, long[] shape, Consumer<ByteBuffer> write, PixelMemory memory)
                throws OrtException {
            ByteBuffer bytes = memory.take(Math.toIntExact(Math.multiplyExact(values, (long) type.size)));
            try {
                write.accept(bytes);
                return new Input(
                        memory, bytes, OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), bytes, shape, type));
            } catch (OrtException | RuntimeException failure) {
                memory.give(bytes);
                throw failure;
            }
        }

        OnnxTensor tensor() {
            return tensor;
        }

        @Override
        public void close() {
            tensor.close();
            memory.give(bytes);
        }
    }

    /**
     * Native memory for inputs, used again and again: one piece for each thread and scale, as large as the largest batch.
     * Memory of direct buffers that are dropped instead returns only when the garbage collector comes by.
     */
    private static final class PixelMemory {

        private final Queue<ByteBuffer> free = new ConcurrentLinkedQueue<>();

        /** Empty memory with capacity for this number of bytes, in the machine's order of bytes. */
        ByteBuffer take(int bytes) {
            ByteBuffer found = free.poll();
            ByteBuffer memory = found == null || found.capacity() < bytes ? ByteBuffer.allocateDirect(bytes) : found;
            return memory.clear().order(ByteOrder.nativeOrder());
        }

        /** Nobody reads it any more. */
        void give(ByteBuffer memory) {
            free.add(memory);
        }
    }

    /**
     * Which rows of a batch belong to which image: those of image i are i·views to (i+1)·views − 1.
     *
     * @param count of all images
     * @param views of an image
     */
    public record Rows(long count, int views) {

        /** An output of ONNX Runtime, views of an image fused by their mean: [images·views, columns] → [images, columns]. */
        float[][] fused(OnnxTensor output) {
            long[] shape = output.getInfo().getShape();
            if (shape.length != 2 || shape[0] != count) {
                throw new IllegalStateException("ONNX Runtime gave values of shape " + Arrays.toString(shape)
                        + " instead of " + count + " rows; export the model again");
            }
            return fused(output.getFloatBuffer(), Math.toIntExact(shape[1]));
        }

        /** Views of an image fused by their mean: [images·views, columns] → [images, columns]. */
        public float[][] fused(FloatBuffer values, int columns) {
            float[][] fused = new float[Math.toIntExact(count / views)][columns];
            for (float[] image : fused) {
                mean(values, image);
            }
            return fused;
        }

        /** The answers for several parts of a batch, one after the other. */
        static Inference.Answers together(List<Inference.Answers> parts) {
            return new Inference.Answers(
                    parts.stream()
                            .flatMap(part -> Arrays.stream(part.probabilities()))
                            .toArray(float[][]::new),
                    parts.stream()
                            .flatMap(part -> Arrays.stream(part.descriptors()))
                            .toArray(float[][]::new));
        }

        /** Takes the next views from the buffer. A single one is copied, as it is. */
        private void mean(FloatBuffer values, float[] to) {
            if (views == 1) {
                values.get(to);
                return;
            }
            double[] sums = new double[to.length];
            for (int view = 0; view < views; view++) {
                for (int c = 0; c < to.length; c++) {
                    sums[c] += values.get();
                }
            }
            for (int c = 0; c < to.length; c++) {
                to[c] = (float) (sums[c] / views);
            }
        }
    }

    /**
     * The native library of ONNX Runtime, unpacked once to the private folder of Gramian's libraries. Otherwise ONNX Runtime would
     * unpack 24 MB into the temporary directory at every start, and a killed process would leave them there.
     */
    private static final class RuntimeLibrary {

        /** The property in which ONNX Runtime looks for a directory with its libraries. */
        private static final String SETTING = "onnxruntime.native.path";

        private RuntimeLibrary() {}

        /** To be called before ONNX Runtime starts; has no effect afterwards, or if the user has set a directory. */
        static void settle() {
            Once.SETTLED.run();
        }

        /** The JVM initialises a class once, whichever threads ask. */
        private static final class Once {

            static final Runnable SETTLED = () -> {};

            static {
                String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
                if (System.getProperty(SETTING) == null && system.contains("linux")) {
                    unpack("/ai/onnxruntime/native/linux-" + architecture() + "/");
                }
            }

            private static String architecture() {
                return System.getProperty("os.arch", "").equals("aarch64") ? "aarch64" : "x64";
            }

            private static void unpack(String folder) {
                try {
                    Natives.unpacked(folder).ifPresent(directory -> System.setProperty(SETTING, directory.toString()));
                } catch (IOException | RuntimeException e) {
                    // ONNX Runtime unpacks its library itself, as it does on other systems.
                }
            }
        }
    }
}
