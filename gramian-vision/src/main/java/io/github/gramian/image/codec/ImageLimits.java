package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Refusal;

/**
 * What an image may cost at most. All four are checked against the file's own header before anything of that size is
 * allocated, so that a small file that claims 60,000×60,000 pixels costs nothing.
 *
 * @param maxBytes of the file
 * @param maxWidth in pixels
 * @param maxHeight in pixels
 * @param maxPixels width × height; decoding takes 3 bytes of heap and 4 outside for each of a JPEG or WebP, of other formats
 *     up to about 12 bytes of heap
 */
public record ImageLimits(long maxBytes, int maxWidth, int maxHeight, long maxPixels) {

    /** The largest image that a raster of 3 bytes a pixel in one array can hold. */
    private static final long ARRAY_PIXELS = (Integer.MAX_VALUE - 8) / 3;

    /** 128 MiB, 32,768 pixels a side, 64 megapixels: enough for every camera, too small for decompression bombs. */
    public static final ImageLimits DEFAULT = new ImageLimits(128L << 20, 32_768, 32_768, 64L << 20);

    public ImageLimits {
        require(maxBytes, "maxBytes", Integer.MAX_VALUE - 8);
        require(maxWidth, "maxWidth", Integer.MAX_VALUE);
        require(maxHeight, "maxHeight", Integer.MAX_VALUE);
        require(maxPixels, "maxPixels", ARRAY_PIXELS);
    }

    /** Passes, or refuses by the first limit that is broken. */
    void checkSize(long width, long height) throws Refusal {
        if (width < 1 || height < 1) {
            throw new Refusal(Rejection.CORRUPT, "the header gives " + width + "×" + height + " pixels");
        }
        if (width > maxWidth || height > maxHeight || width * height > maxPixels) {
            throw new Refusal(
                    Rejection.TOO_MANY_PIXELS,
                    width + "×" + height + " pixels are more than " + maxWidth + "×" + maxHeight + " or " + maxPixels
                            + " in all; raise the image limits if the file is trusted");
        }
    }

    /** Passes, or refuses a file or an array that is too long. */
    void checkBytes(long bytes) throws Refusal {
        if (bytes > maxBytes) {
            throw new Refusal(
                    Rejection.TOO_MANY_BYTES,
                    bytes + " bytes are more than " + maxBytes + "; raise the image limits if the file is trusted");
        }
    }

    private static void require(long value, String name, long most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + " must lie in 1.." + most + " but is " + value);
        }
    }
}
