package io.github.gramian.similar.vector.internal;

import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import io.github.gramian.tensor.safetensors.internal.TensorEntry;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A {@link Reduction} in a safetensors file with a checksum: {@code mean} [length] and {@code components} [dimensions, length]. */
public final class ReductionFile {

    private static final String MEAN = "mean";
    private static final String COMPONENTS = "components";

    /** Values of a file: 1 GB, or 256 components of descriptors of a million dimensions. */
    private static final long MAX_VALUES = 1 << 28;

    private ReductionFile() {}

    /** Writes it atomically. */
    public static void write(Path file, Reduction reduction) throws IOException {
        SafetensorsWriter.writeSealedFloats(
                file,
                Map.of(
                        MEAN, new SafetensorsWriter.Floats(reduction.mean(), List.of((long) reduction.length())),
                        COMPONENTS,
                                new SafetensorsWriter.Floats(
                                        reduction.components(),
                                        List.of((long) reduction.dimensions(), (long) reduction.length()))),
                Map.of("format", "gramian-reduction-1"));
    }

    /** A reduction and the checksum of its file. */
    public record Stored(Reduction reduction, String checksum) {}

    /**
     * Reads it, after a comparison of every byte with the checksum.
     *
     * @throws IllegalArgumentException if the arrays are not those of a reduction
     */
    public static Stored read(Path path) throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            TensorEntry mean = file.entry(MEAN);
            TensorEntry components = file.entry(COMPONENTS);
            List<Long> shape = components.shape();
            if (mean.shape().size() != 1
                    || mean.elements() > Reduction.MAX_LENGTH
                    || shape.size() != 2
                    || shape.get(0) > Reduction.MAX_DIMENSIONS
                    || components.elements() > MAX_VALUES
                    || shape.get(1) != mean.elements()
                    || mean.type() != TensorType.F32
                    || components.type() != TensorType.F32) {
                throw new IllegalArgumentException(
                        path + " does not hold principal components: mean " + mean.shape() + ", components " + shape);
            }
            file.requireIntact();
            return new Stored(new Reduction(floats(file, MEAN), floats(file, COMPONENTS)), file.seal());
        }
    }

    private static float[] floats(SafetensorsFile file, String name) throws IOException {
        float[] values = new float[Math.toIntExact(file.entry(name).elements())];
        file.map(name).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }
}
