package io.github.gramian.image.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import java.util.List;

/**
 * Normalised pixels of some images, as a network takes them, in Java's memory: [rows, 3, size, size] in all. The engine
 * copies them once, array by array, into its own memory; no engine is needed up to here.
 *
 * @param images for each image what {@link Preprocessing#valuesOf} gave, all of its views; nobody writes to them any more
 * @param size of a view, in pixels a side
 * @param order of the values of a view
 */
public record InputPixels(List<float[]> images, int size, ChannelOrder order) {

    public InputPixels {
        images = List.copyOf(images);
        for (float[] image : images) {
            if (image.length % (3L * size * size) != 0) {
                throw new IllegalArgumentException(
                        image.length + " values are not whole views of 3×" + size + "×" + size);
            }
        }
    }

    /** Some of the images, from one to before another. */
    public InputPixels images(int from, int to) {
        return new InputPixels(images.subList(from, to), size, order);
    }

    /** Values in all. */
    public long length() {
        return images.stream().mapToLong(image -> image.length).sum();
    }

    /** Views in all. */
    public long rows() {
        return length() / (3L * size * size);
    }
}
