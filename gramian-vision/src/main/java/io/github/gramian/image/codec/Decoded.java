package io.github.gramian.image.codec;

/**
 * The result of decoding a file: an image, or the reason why there is none. A broken file is a value, never an exception.
 */
public sealed interface Decoded permits Decoded.Picture, Decoded.Rejected {

    /**
     * An image, upright.
     *
     * @param image its pixels, turned as its EXIF orientation asks
     * @param format recognised by content
     */
    record Picture(RgbImage image, ImageFormat format) implements Decoded {}

    /**
     * No image.
     *
     * @param reason one of a closed set, for machines
     * @param detail what was found in this file, for people
     */
    record Rejected(Rejection reason, String detail) implements Decoded {

        /** The reason and the detail in one line. */
        public String sentence() {
            return detail.isEmpty() ? reason.sentence() : reason.sentence() + " (" + detail + ")";
        }
    }
}
