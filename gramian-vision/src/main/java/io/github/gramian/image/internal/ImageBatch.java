package io.github.gramian.image.internal;

import io.github.gramian.image.codec.Decoded;
import java.util.List;

/**
 * Some images as a network takes them.
 *
 * @param indices of the images that could be loaded, in the order asked for; image i has the rows i·views to (i+1)·views
 *     − 1
 * @param views rows an image
 * @param pixels of these images
 * @param rejects images of this batch that could not be loaded; they have no row
 */
public record ImageBatch(List<Integer> indices, int views, InputPixels pixels, List<Reject> rejects) {

    public ImageBatch {
        indices = List.copyOf(indices);
        rejects = List.copyOf(rejects);
    }

    /** An image that could not be loaded, and why. */
    public record Reject(int index, Decoded.Rejected why) {}
}
