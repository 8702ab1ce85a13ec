package io.github.gramian.image.codec;

import io.github.gramian.image.codec.ImageDecoder.Reduction;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * One format: its size is read cheaply and by our own code, its pixels mostly by a library. The decoder checks the size
 * against the limits between the two calls.
 */
interface Codec {

    /**
     * The contents of a file's header, before the file is decoded.
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
                        + " pixels, the header gives " + width + "×" + height);
            }
        }
    }

    /** The size, from as few bytes as possible; allocates nothing that depends on it. */
    Size size(byte[] file) throws Refusal;

    /**
     * Estimates how much decoding costs per pixel, from the markers alone. The unit is what one scan of a progressive JPEG
     * costs per pixel, about 3 ns on one core; a codec that overrides this has been measured to cost more or less.
     */
    default int passes(byte[] file) throws Refusal {
        return 4;
    }

    /**
     * Decodes an image whose size has passed the limits, and turns it upright.
     *
     * @param reduction that is allowed; a codec that cannot do it decodes every pixel
     * @param cancellation checked between rows; a codec in native code can check it only before and after
     */
    RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException;

    /** Thrown by the parsers of this package; the decoder turns it into {@link Decoded.Rejected}. */
    static final class Refusal extends Exception {

        private final Rejection reason;

        Refusal(Rejection reason, String detail) {
            // Refusals are normal results for hostile input: no stack trace, which would be most of their cost.
            super(detail, null, false, false);
            this.reason = reason;
        }

        static Refusal corrupt(String detail) {
            return new Refusal(Rejection.CORRUPT, detail);
        }

        static Refusal truncated(String detail) {
            return new Refusal(Rejection.TRUNCATED, detail);
        }

        static Refusal unsupported(String detail) {
            return new Refusal(Rejection.UNSUPPORTED, detail);
        }

        Decoded.Rejected asValue() {
            return new Decoded.Rejected(reason, String.valueOf(getMessage()));
        }
    }

    /** Whether the caller no longer wants the image. Decoders check it at least once per row of pixels where they can. */
    static final class Cancellation {

        static final Cancellation NEVER = new Cancellation(() -> false);

        private final BooleanSupplier cancelled;

        Cancellation(BooleanSupplier cancelled) {
            this.cancelled = cancelled;
        }

        boolean isRequested() {
            return cancelled.getAsBoolean();
        }

        /** Passes, or ends decoding. */
        void check() throws Refusal {
            if (isRequested()) {
                throw new Refusal(Rejection.CANCELLED, "");
            }
        }
    }
}
