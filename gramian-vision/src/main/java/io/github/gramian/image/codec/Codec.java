package io.github.gramian.image.codec;

import io.github.gramian.image.codec.internal.Reduction;
import java.io.IOException;

/**
 * One format: its size is read cheaply and by our own code, its pixels mostly by a library. The decoder checks the size
 * against the limits between the two calls.
 */
interface Codec {

    /**
     * What a file's header says before it is decoded.
     *
     * @param width of the stored raster, before it is turned upright
     * @param height of the stored raster
     */
    record Size(long width, long height) {

        /** The size of the image as it is seen. */
        Size upright(Orientation orientation) {
            return orientation.transposes() ? new Size(/* width= */ height, /* height= */ width) : this;
        }

        /** The size of an image reduced by r, as libjpeg rounds. */
        Size reduced(int r) {
            return new Size((width + r - 1) / r, (height + r - 1) / r);
        }

        /** Refuses a decoded raster that is not what the limits were asked about. */
        void check(RgbImage image) throws Refusal {
            if (image.width() != width || image.height() != height) {
                throw Refusal.corrupt("decoding gave " + image.width() + "×" + image.height()
                        + " pixels, the header says " + width + "×" + height);
            }
        }
    }

    /** The size, from as few bytes as possible; allocates nothing that depends on it. */
    Size size(byte[] file) throws Refusal;

    /**
     * Decodes an image whose size has passed the limits, and turns it upright.
     *
     * @param reduction that is allowed; a codec that cannot do it decodes every pixel
     */
    RgbImage decode(byte[] file, Reduction reduction) throws Refusal, IOException;
}
