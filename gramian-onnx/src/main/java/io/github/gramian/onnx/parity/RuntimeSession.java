package io.github.gramian.onnx.parity;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ChannelOrder;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.runtime.InputKind;
import io.github.gramian.onnx.runtime.Sessions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** An exported file, loaded by ONNX Runtime on the CPU. */
public final class RuntimeSession implements AutoCloseable {

    private final OrtSession session;
    private final List<Preprocessing> preprocessing;
    private final boolean pixels;

    /**
     * Loads a file.
     *
     * @param preprocessing of the views that it will be given, for each of its inputs
     * @param pixels whether it takes pixels
     */
    public RuntimeSession(Path file, List<Preprocessing> preprocessing, boolean pixels) throws ModelException {
        this.preprocessing = List.copyOf(preprocessing);
        this.pixels = pixels;
        try {
            this.session = Sessions.open(file, Runtime.getRuntime().availableProcessors());
        } catch (OrtException refused) {
            throw new ModelException("ONNX Runtime refuses " + file + ": " + refused.getMessage(), refused);
        }
    }

    /** An output for some views, one row each: views of all images, for each of the inputs. */
    public float[][] run(List<List<RgbImage>> views, String output) throws ModelException {
        return Objects.requireNonNull(run(views, Set.of(output)).get(output));
    }

    /** Several outputs at once. */
    public Map<String, float[][]> run(List<List<RgbImage>> views, Set<String> outputs) throws ModelException {
        Map<String, OnnxTensor> inputs = new HashMap<>();
        try {
            for (int scale = 0; scale < preprocessing.size(); scale++) {
                inputs.put(InputKind.of(pixels).input(scale), tensor(views.get(scale), preprocessing.get(scale)));
            }
            try (OrtSession.Result result = session.run(inputs, outputs)) {
                Map<String, float[][]> found = new HashMap<>();
                for (String output : outputs) {
                    found.put(output, rows((OnnxTensor) result.get(output).orElseThrow()));
                }
                return found;
            }
        } catch (OrtException failure) {
            throw new ModelException("ONNX Runtime cannot run the exported file: " + failure.getMessage(), failure);
        } finally {
            inputs.values().forEach(OnnxTensor::close);
        }
    }

    private OnnxTensor tensor(List<RgbImage> views, Preprocessing scale) throws OrtException {
        long count = views.size();
        int size = scale.size();
        int length = Math.multiplyExact(views.size(), scale.viewLength());
        if (pixels) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(length);
            views.forEach(view -> bytes.put(view.pixels()));
            return OnnxTensor.createTensor(
                    OrtEnvironment.getEnvironment(),
                    bytes.flip(),
                    new long[] {count, size, size, 3},
                    OnnxJavaType.UINT8);
        }
        FloatBuffer floats = ByteBuffer.allocateDirect(Math.multiplyExact(length, Float.BYTES))
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        floats.put(numbers(views, scale)).flip();
        return OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), floats, new long[] {count, 3, size, size});
    }

    /** Normalised values of views, plane after plane. */
    public static float[] numbers(List<RgbImage> views, Preprocessing scale) {
        float[] numbers = new float[Math.multiplyExact(views.size(), scale.viewLength())];
        for (int i = 0; i < views.size(); i++) {
            scale.normalisation().write(views.get(i), ChannelOrder.FIRST, numbers, i * scale.viewLength());
        }
        return numbers;
    }

    private static float[][] rows(OnnxTensor tensor) {
        long[] shape = tensor.getInfo().getShape();
        FloatBuffer all = tensor.getFloatBuffer();
        float[][] rows = new float[Math.toIntExact(shape[0])][Math.toIntExact(shape[1])];
        for (float[] row : rows) {
            all.get(row);
        }
        return rows;
    }

    @Override
    public void close() throws ModelException {
        try {
            session.close();
        } catch (OrtException failure) {
            throw new ModelException("ONNX Runtime cannot close the file: " + failure.getMessage(), failure);
        }
    }
}
