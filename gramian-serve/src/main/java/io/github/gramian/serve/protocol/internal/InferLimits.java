package io.github.gramian.serve.protocol.internal;

import io.github.gramian.image.codec.ImageLimits;

/**
 * Limits of one request for inference.
 *
 * @param images at once
 * @param each of every image
 */
public record InferLimits(int images, ImageLimits each) {

    void checkCount(long count) {
        if (count < 1) {
            throw RequestException.malformed("a request needs at least one image");
        }
        if (count > images) {
            throw new RequestException(
                    413, "a request may have at most " + images + " images, not " + count + "; send several requests");
        }
    }

    void checkSize(long width, long height) {
        if (width < 1 || height < 1) {
            throw RequestException.malformed("an image has at least one pixel, not " + width + "×" + height);
        }
        if (width > each.maxWidth() || height > each.maxHeight() || width * height > each.maxPixels()) {
            throw new RequestException(
                    413,
                    "an image may have at most " + each.maxWidth() + "×" + each.maxHeight() + " pixels and "
                            + each.maxPixels() + " in all, not " + width + "×" + height + "; send a smaller image");
        }
    }
}
