package io.github.gramian.certainty.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter.Planned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/**
 * A {@link ModelCertainty} in a model's file, under the names of {@code docs/model-format.md}: as tensors of a safetensors file,
 * or as a string for other formats, a JSON object of arrays by name, each with its type, its shape and its bytes in Base64.
 * Reading the string needs no LibTorch.
 */
public final class CertaintyFile {

    /** How the names of its tensors start. */
    private static final String NOVELTY = "novelty/";

    private static final String SETS = "sets/";

    private static final String MEAN = NOVELTY + "mean";
    private static final String SCALE = NOVELTY + "scale";
    private static final String COMPONENTS = NOVELTY + "components";
    private static final String WHITENING = NOVELTY + "whitening";
    private static final String MEANS = NOVELTY + "class-means";
    private static final String COUNTS = NOVELTY + "class-counts";
    private static final String SPREAD = NOVELTY + "spread";
    private static final String CALIBRATION = NOVELTY + "calibration";

    /** The number of bytes that all arrays of a file may have: many times what this program writes. */
    private static final int MAX_BYTES = 1 << 26;

    /** Base64 of all arrays, and the names. */
    private static final int MAX_CHARACTERS = MAX_BYTES / 3 * 4 + (1 << 16);

    private static final JsonMapper STRICT = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(3)
                            .maxStringLength(MAX_CHARACTERS)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private CertaintyFile() {}

    /**
     * Adds what a model stores to its tensors.
     *
     * @param prefix how the names of the tensors start; empty for the certainty of the model itself
     */
    public static void add(String prefix, ModelCertainty certainty, Map<String, Planned> tensors) {
        arrays(certainty).forEach((name, array) -> tensors.put(prefix + name, planned(array)));
    }

    private static Planned planned(Stored array) {
        TensorType type = TensorType.valueOf(array.type.name());
        List<Long> shape = Arrays.stream(array.shape).boxed().toList();
        return new Planned(type, shape, () -> {
            Tensor tensor = TensorBytes.allocate(type, array.shape);
            TensorBytes.memory(tensor).put(array.data);
            return tensor;
        });
    }

    /**
     * Reads what the file of a model stores.
     *
     * @param prefix how the names of the tensors start; empty for the certainty of the model itself
     * @throws IllegalArgumentException if it is damaged or too large
     */
    public static ModelCertainty read(String prefix, SafetensorsFile file) throws IOException {
        Map<String, Stored> arrays = new TreeMap<>();
        long left = MAX_BYTES;
        for (TensorEntry entry : file.entries()) {
            Optional<Type> type = type(entry);
            String name = entry.name();
            if ((name.startsWith(prefix + NOVELTY) || name.startsWith(prefix + SETS)) && type.isPresent()) {
                long[] shape = entry.shape().stream().mapToLong(Long::longValue).toArray();
                left -= entry.type().bytesOf(shape);
                if (left < 0) {
                    throw new IllegalArgumentException("its reference has more than " + MAX_BYTES + " bytes");
                }
                arrays.put(
                        name.substring(prefix.length()),
                        new Stored(type.get(), shape, file.bytes(name).array()));
            }
        }
        return certainty(arrays);
    }

    private static Optional<Type> type(TensorEntry entry) {
        return Arrays.stream(Type.values())
                .filter(type -> type.name().equals(entry.type().name()))
                .findFirst();
    }

    /** What a model stores as a string of ASCII characters. */
    public static String text(ModelCertainty certainty) {
        return Json.text(arrays(certainty));
    }

    /**
     * Reads what {@link #text} wrote.
     *
     * @throws IllegalArgumentException if it is damaged or too large
     */
    public static ModelCertainty read(String text) {
        if (text.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException("its reference has " + text.length() + " characters");
        }
        try {
            return certainty(STRICT.readValue(text, new TypeReference<TreeMap<String, Stored>>() {}));
        } catch (JsonProcessingException | NullPointerException e) {
            throw new IllegalArgumentException("its reference cannot be read", e);
        }
    }

    /** The arrays of a model, by the names of their tensors. */
    private static Map<String, Stored> arrays(ModelCertainty certainty) {
        Map<String, Stored> arrays = new TreeMap<>();
        certainty.novelty().ifPresent(novelty -> {
            Novelty.Densities known = novelty.densities();
            arrays.put(MEAN, Stored.vector(known.mean()));
            arrays.put(SCALE, Stored.vector(known.scale()));
            arrays.put(COMPONENTS, Stored.matrix(known.components(), novelty.rank()));
            arrays.put(WHITENING, Stored.matrix(known.whitening(), novelty.rank()));
            arrays.put(MEANS, Stored.matrix(known.means(), known.counts().length));
            arrays.put(COUNTS, Stored.vector(known.counts()));
            arrays.put(SPREAD, Stored.vector(known.spread()));
            arrays.put(CALIBRATION, Stored.vector(novelty.calibration()));
        });
        certainty.sets().ifPresent(sets -> arrays.put(SETS + sets.source().key(), Stored.vector(sets.scores())));
        return arrays;
    }

    /**
     * What these arrays store; others are ignored, since a newer version may have added them.
     *
     * @throws IllegalArgumentException if an array is missing, or does not fit the others
     */
    private static ModelCertainty certainty(Map<String, Stored> arrays) {
        Optional<Novelty> novelty = arrays.containsKey(MEAN) ? Optional.of(novelty(arrays)) : Optional.empty();
        Optional<PredictionSets> sets = Arrays.stream(PredictionSets.Source.values())
                .filter(source -> arrays.containsKey(SETS + source.key()))
                .findFirst()
                .map(source -> new PredictionSets(
                        source, required(arrays, SETS + source.key()).vector()));
        return new ModelCertainty(novelty, sets);
    }

    private static Novelty novelty(Map<String, Stored> arrays) {
        float[] mean = required(arrays, MEAN).vector();
        float[] scale = required(arrays, SCALE).vector();
        float[] spread = required(arrays, SPREAD).vector();
        if (scale.length != 1) {
            throw new IllegalArgumentException("its novelty reference has " + scale.length + " scales");
        }
        Novelty.Densities densities = new Novelty.Densities(
                mean,
                scale[0],
                matrix(arrays, COMPONENTS, mean.length),
                matrix(arrays, WHITENING, spread.length - 1),
                matrix(arrays, MEANS, spread.length - 1),
                required(arrays, COUNTS).vector(),
                spread);
        return new Novelty(densities, required(arrays, CALIBRATION).vector());
    }

    /** A matrix with this number of columns. */
    private static float[] matrix(Map<String, Stored> arrays, String name, int columns) {
        Stored matrix = required(arrays, name);
        float[] values = matrix.matrix();
        if (matrix.shape[1] != columns) {
            throw new IllegalArgumentException(
                    "the tensor " + name + " has " + matrix.shape[1] + " columns and must have " + columns);
        }
        return values;
    }

    private static Stored required(Map<String, Stored> arrays, String name) {
        Stored array = arrays.get(name);
        if (array == null) {
            throw new IllegalArgumentException("it lacks the tensor " + name);
        }
        return array;
    }

    /** Element types; each constant is named as safetensors files name it. */
    private enum Type {
        F16(Short.BYTES),
        F32(Float.BYTES);

        private final int bytes;

        Type(int bytes) {
            this.bytes = bytes;
        }
    }

    /**
     * An array as bytes of a file.
     *
     * @param type of its elements
     * @param shape of one or two dimensions
     * @param data little-endian, row by row
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not changed
    private record Stored(Type type, long[] shape, byte[] data) {

        private Stored {
            if (shape.length < 1 || shape.length > 2) {
                throw new IllegalArgumentException("an array has " + shape.length + " dimensions");
            }
            long wanted = type.bytes;
            for (long length : shape) {
                if (length < 1 || length > MAX_BYTES || wanted * length > MAX_BYTES) {
                    throw new IllegalArgumentException("an array has the shape " + Arrays.toString(shape));
                }
                wanted *= length;
            }
            if (wanted != data.length) {
                throw new IllegalArgumentException(
                        "an array of shape " + Arrays.toString(shape) + " has " + data.length + " bytes");
            }
        }

        private static Stored vector(float... values) {
            byte[] bytes = new byte[values.length * Float.BYTES];
            littleEndian(bytes).asFloatBuffer().put(values);
            return new Stored(Type.F32, new long[] {values.length}, bytes);
        }

        /** In half precision. */
        private static Stored matrix(float[] values, int rows) {
            byte[] bytes = new byte[values.length * Short.BYTES];
            littleEndian(bytes).asShortBuffer().put(Half.bits(values));
            return new Stored(Type.F16, new long[] {rows, values.length / rows}, bytes);
        }

        private static ByteBuffer littleEndian(byte[] bytes) {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }

        private float[] vector() {
            require(Type.F32, 1);
            float[] values = new float[data.length / Float.BYTES];
            littleEndian(data).asFloatBuffer().get(values);
            return values;
        }

        private float[] matrix() {
            require(Type.F16, 2);
            short[] bits = new short[data.length / Short.BYTES];
            littleEndian(data).asShortBuffer().get(bits);
            return Half.values(bits);
        }

        private void require(Type wanted, int dimensions) {
            if (type != wanted || shape.length != dimensions) {
                throw new IllegalArgumentException("an array is " + type + Arrays.toString(shape) + " and must be "
                        + wanted + " of " + dimensions + " dimensions");
            }
        }
    }
}
