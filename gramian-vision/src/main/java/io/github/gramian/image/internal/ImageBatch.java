package io.github.gramian.image.internal;

import io.github.gramian.image.codec.Decoded;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Some images as a network takes them.
 *
 * @param indices of the images in the tensor, in the order asked for; image i has the rows i·views to (i+1)·views − 1
 * @param views rows an image
 * @param images [indices.size()·views, 3, size, size], float, on the CPU; it belongs to the scope in which the batch was
 *     asked for
 * @param rejects images of this batch that could not be loaded; they have no row
 */
public record ImageBatch(List<Integer> indices, int views, Tensor images, List<Reject> rejects) {

    public ImageBatch {
        indices = List.copyOf(indices);
        rejects = List.copyOf(rejects);
    }

    /** An image that could not be loaded, and why. */
    public record Reject(int index, Decoded.Rejected why) {}
}
