package io.github.gramian.similar.vector.internal;

import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A {@link Reduction} in a safetensors file with a checksum: {@code mean} [length] and {@code components} [dimensions, length]. */
public final class ReductionFile {

    private static final String MEAN = "mean";
    private static final String COMPONENTS = "components";
    private static final String IMAGES = "images";
    private static final String WANTED = "wanted";

    /** The number of dimensions that files did not store before they stored what was wanted. */
    private static final int DEFAULT_WANTED = 256;

    /** Values of a file: 1 GB, or 256 components of descriptors of a million dimensions. */
    private static final long MAX_VALUES = 1 << 28;

    private ReductionFile() {}

    /** Writes a reduction that is final, however many images an index will have. */
    public static void write(Path file, Reduction reduction) throws IOException {
        write(file, reduction, new Fit(0, reduction.dimensions()));
    }

    /** Writes it atomically. */
    public static void write(Path file, Reduction reduction, Fit fit) throws IOException {
        SafetensorsWriter.writeSealedFloats(
                file,
                Map.of(
                        MEAN, new SafetensorsWriter.Floats(reduction.mean(), List.of((long) reduction.length())),
                        COMPONENTS,
                                new SafetensorsWriter.Floats(
                                        reduction.components(),
                                        List.of((long) reduction.dimensions(), (long) reduction.length()))),
                Map.of(
                        "format",
                        "gramian-reduction-1",
                        IMAGES,
                        Integer.toString(fit.images()),
                        WANTED,
                        Integer.toString(fit.wanted())));
    }

    /**
     * What a reduction was fitted to.
     *
     * @param images number of images of different content
     * @param wanted number of dimensions that it would have with enough images
     */
    public record Fit(int images, int wanted) {

        /** Below this number, an index with that many images cannot rank them. */
        private static final int MIN_DIMENSIONS = 8;

        private static final int MIN_IMAGES = 8;

        /** The number of images with which a new fit is worth it, if there are fewer dimensions than wanted. */
        public int next() {
            return Math.max(MIN_IMAGES, 2 * images);
        }

        /** Whether a new fit to this number of images is due. */
        public boolean isDue(int dimensions, int different) {
            return dimensions < wanted && different >= next();
        }

        /** Whether there are too few dimensions to rank images by similarity. */
        public boolean isCoarse(int dimensions) {
            return dimensions < Math.min(wanted, MIN_DIMENSIONS);
        }
    }

    /** A reduction, the checksum of its file, and what it was fitted to. */
    public record Stored(Reduction reduction, String checksum, Fit fit) {}

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
            Reduction reduction = new Reduction(floats(file, MEAN), floats(file, COMPONENTS));
            return new Stored(reduction, file.seal(), fit(file.metadata(), reduction.dimensions()));
        }
    }

    /** Older files do not store it. One dimension ranks nothing, so a new fit is due then. */
    private static Fit fit(Map<String, String> metadata, int dimensions) {
        String wanted = Integer.toString(dimensions == 1 ? DEFAULT_WANTED : dimensions);
        return new Fit(
                Integer.parseInt(metadata.getOrDefault(IMAGES, "0")),
                Integer.parseInt(metadata.getOrDefault(WANTED, wanted)));
    }

    /** The values of a stored array. */
    public static float[] floats(SafetensorsFile file, String name) throws IOException {
        float[] values = new float[Math.toIntExact(file.entry(name).elements())];
        file.map(name).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }
}
