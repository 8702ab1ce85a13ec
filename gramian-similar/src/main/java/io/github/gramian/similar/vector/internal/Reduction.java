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

/**
 * Descriptors as short vectors of unit length: y = A (x − μ) / ‖A (x − μ)‖, where the rows of A are principal components,
 * whitened. The inner product of two such vectors is the similarity of their images, from −1 to 1. Safe for use by many threads.
 * Its file is a safetensors file with a checksum: {@code mean} [length] and {@code components} [dimensions, length].
 */
public final class Reduction {

    /** Lucene stores no longer vectors. */
    public static final int MAX_DIMENSIONS = 1024;

    /** Far longer than any descriptor that a recipe makes. */
    static final int MAX_LENGTH = 1 << 22;

    private static final int SUMS = 8;

    /** Values of a file: 1 GB, or 256 components of descriptors of a million dimensions. */
    private static final long MAX_VALUES = 1 << 28;

    private static final String MEAN = "mean";
    private static final String COMPONENTS = "components";
    private static final String IMAGES = "images";
    private static final String WANTED = "wanted";

    private final float[] mean;
    private final float[] components;
    private final int dimensions;

    /**
     * @param mean μ: [length]
     * @param components A: [dimensions × length], row by row
     */
    public Reduction(float[] mean, float[] components) {
        int length = mean.length;
        if (length < 1 || length > MAX_LENGTH || components.length == 0 || components.length % length != 0) {
            throw new IllegalArgumentException(
                    components.length + " values are not components of descriptors of " + length + " dimensions");
        }
        this.dimensions = components.length / length;
        if (dimensions > MAX_DIMENSIONS) {
            throw new IllegalArgumentException("dimensions must lie in 1.." + MAX_DIMENSIONS + " but is " + dimensions);
        }
        this.mean = finite(mean.clone());
        this.components = finite(components.clone());
    }

    private static float[] finite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a value of the components is " + value);
            }
        }
        return values;
    }

    /** Dimensions of a descriptor. */
    public int length() {
        return mean.length;
    }

    /** Dimensions of a reduced vector. */
    public int dimensions() {
        return dimensions;
    }

    float[] components() {
        return components.clone();
    }

    /**
     * The vector of a descriptor. A descriptor that equals the mean in all components has no direction; it gets the first axis.
     *
     * @throws IllegalArgumentException if the descriptor has another length, or a value that is not finite
     */
    public float[] apply(float[] descriptor) {
        if (descriptor.length != mean.length) {
            throw new IllegalArgumentException(
                    "a descriptor has " + descriptor.length + " dimensions, but the index needs " + mean.length
                            + "; describe the image with the model of the index");
        }
        float[] centred = new float[mean.length];
        for (int i = 0; i < centred.length; i++) {
            centred[i] = descriptor[i] - mean[i];
        }
        return applyCentred(centred);
    }

    /** The vector of a descriptor that the mean was subtracted from, as a fit leaves its sample. */
    public float[] applyCentred(float[] centred) {
        double[] projected = new double[dimensions];
        for (int row = 0; row < dimensions; row++) {
            projected[row] = dot(components, row * mean.length, centred);
        }
        return unit(projected);
    }

    /** Eight sums side by side, since the processor need not wait for one addition before it starts the next. */
    private static double dot(float[] rows, int start, float[] vector) {
        int whole = vector.length - vector.length % SUMS;
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        for (int i = 0; i < whole; i += SUMS) {
            s0 += rows[start + i] * vector[i];
            s1 += rows[start + i + 1] * vector[i + 1];
            s2 += rows[start + i + 2] * vector[i + 2];
            s3 += rows[start + i + 3] * vector[i + 3];
            s4 += rows[start + i + 4] * vector[i + 4];
            s5 += rows[start + i + 5] * vector[i + 5];
            s6 += rows[start + i + 6] * vector[i + 6];
            s7 += rows[start + i + 7] * vector[i + 7];
        }
        double sum = (double) s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
        for (int i = whole; i < vector.length; i++) {
            sum += rows[start + i] * vector[i];
        }
        return sum;
    }

    private static float[] unit(double[] vector) {
        double square = 0;
        for (double value : vector) {
            square += value * value;
        }
        if (!Double.isFinite(square)) {
            throw new IllegalArgumentException("a descriptor has a value that is not finite");
        }
        float[] unit = new float[vector.length];
        if (square == 0) {
            unit[0] = 1;
            return unit;
        }
        double scale = 1 / Math.sqrt(square);
        for (int i = 0; i < unit.length; i++) {
            unit[i] = (float) (vector[i] * scale);
        }
        return unit;
    }

    /** Writes a reduction that is final, however many images an index will have. */
    public void write(Path file) throws IOException {
        write(file, new Fit(0, dimensions));
    }

    /** Writes it atomically. */
    public void write(Path file, Fit fit) throws IOException {
        SafetensorsWriter.writeSealedFloats(
                file,
                Map.of(
                        MEAN, new SafetensorsWriter.Floats(mean, List.of((long) mean.length)),
                        COMPONENTS,
                                new SafetensorsWriter.Floats(
                                        components, List.of((long) dimensions, (long) mean.length))),
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
                    || mean.elements() > MAX_LENGTH
                    || shape.size() != 2
                    || shape.get(0) > MAX_DIMENSIONS
                    || components.elements() > MAX_VALUES
                    || shape.get(1) != mean.elements()
                    || mean.type() != TensorType.F32
                    || components.type() != TensorType.F32) {
                throw new IllegalArgumentException(
                        path + " does not hold principal components: mean " + mean.shape() + ", components " + shape);
            }
            file.requireIntact();
            Reduction reduction = new Reduction(floats(file, MEAN), floats(file, COMPONENTS));
            Fit fit = new Fit(
                    Integer.parseInt(file.metadata().getOrDefault(IMAGES, "")),
                    Integer.parseInt(file.metadata().getOrDefault(WANTED, "")));
            return new Stored(reduction, file.seal(), fit);
        }
    }

    /** The values of a stored array. */
    public static float[] floats(SafetensorsFile file, String name) throws IOException {
        float[] values = new float[Math.toIntExact(file.entry(name).elements())];
        file.map(name).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }
}
