package io.github.gramian.image.codec;

import io.github.gramian.natives.internal.Natives;
import java.nio.IntBuffer;
import java.util.Optional;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.leptonica.PIX;
import org.bytedeco.leptonica.global.leptonica;

/**
 * libjpeg-turbo and libwebp as Leptonica brings them: native code that sees the bytes of an image. Sizes have passed the
 * limits before. A file that they refuse, or only warn about, gives nothing; they report no reason.
 */
final class Leptonica {

    static {
        Natives.IMAGES.unpack();
        // It would print to standard error; what went wrong is known by the missing result.
        leptonica.setMsgSeverity(leptonica.L_SEVERITY_NONE);
    }

    private static final int NO_PALETTE = 0;
    private static final int STRICT = 0;

    private Leptonica() {}

    /** Grey or colour, reduced by 1, 2, 4 or 8. */
    static Optional<RgbImage> jpeg(byte[] file, int reduction, Orientation orientation) {
        return upright(
                leptonica.pixReadMemJpeg(file, file.length, NO_PALETTE, reduction, new int[1], STRICT), orientation);
    }

    /** A still image, lossy or lossless. */
    static Optional<RgbImage> webp(byte[] file, Orientation orientation) {
        return upright(leptonica.pixReadMemWebP(file, file.length), orientation);
    }

    private static Optional<RgbImage> upright(PIX pix, Orientation orientation) {
        if (pix == null) {
            return Optional.empty();
        }
        try (IntPointer samples = leptonica.pixGetData(pix)) {
            int stride = leptonica.pixGetWpl(pix);
            IntBuffer words = samples.capacity((long) stride * pix.h()).asBuffer();
            return switch (pix.d()) {
                case 8 -> Optional.of(copy(words, stride, pix, orientation, Leptonica::grey));
                case 32 -> Optional.of(copy(words, stride, pix, orientation, Leptonica::colour));
                default -> Optional.empty();
            };
        } finally {
            leptonica.pixDestroy(pix);
        }
    }

    /** Turned upright on the way to the heap: no second image of full size is needed for it. */
    private static RgbImage copy(IntBuffer words, int stride, PIX pix, Orientation orientation, Row row) {
        Orientation.Walk walk = orientation.walk(pix.w(), pix.h());
        byte[] rgb = new byte[Math.multiplyExact(3, Math.multiplyExact(pix.w(), pix.h()))];
        int[] line = new int[stride];
        int width = pix.w();
        for (int y = 0; y < pix.h(); y++) {
            words.get(line);
            row.put(line, width, rgb, walk.start() + y * walk.down(), walk.right());
        }
        return new RgbImage(walk.width(), walk.height(), rgb);
    }

    private interface Row {
        void put(int[] line, int width, byte[] rgb, int start, int step);
    }

    /** Red, green and blue from the highest byte of a word on. */
    private static void colour(int[] line, int width, byte[] rgb, int start, int step) {
        for (int x = 0, to = start; x < width; x++, to += step) {
            int pixel = line[x];
            rgb[to] = (byte) (pixel >>> 24);
            rgb[to + 1] = (byte) (pixel >>> 16);
            rgb[to + 2] = (byte) (pixel >>> 8);
        }
    }

    /** Four pixels a word, the first in its highest byte. */
    private static void grey(int[] line, int width, byte[] rgb, int start, int step) {
        for (int x = 0, to = start; x < width; x++, to += step) {
            byte grey = (byte) (line[x >> 2] >>> (24 - 8 * (x & 3)));
            rgb[to] = grey;
            rgb[to + 1] = grey;
            rgb[to + 2] = grey;
        }
    }
}
