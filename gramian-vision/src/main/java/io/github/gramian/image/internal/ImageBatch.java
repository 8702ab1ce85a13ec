package io.github.gramian.image.internal;

import io.github.gramian.image.codec.Decoded;
import java.util.List;

/**
 * Some images as a network takes them.
 *
 * @param indices of the images that could be loaded, in the order asked for; image i has the rows i·views to (i+1)·views
 *     − 1
 * @param views rows per image
 * @param scales the pixels of these images for each of the network's scales; at least one
 * @param rejects images of this batch that could not be loaded; they have no row
 */
public record ImageBatch(List<Integer> indices, int views, List<InputPixels> scales, List<Reject> rejects) {

    public ImageBatch {
        indices = List.copyOf(indices);
        scales = List.copyOf(scales);
        rejects = List.copyOf(rejects);
    }

    /** The pixels for the first scale, which is the only one of most networks. */
    public InputPixels pixels() {
        return scales.get(0);
    }

    /** An image that could not be loaded, and why. */
    public record Reject(int index, Decoded.Rejected why) {}
}
