package io.github.gramian.image.codec;

import io.github.gramian.image.codec.ImageDecoder.Reduction;

/**
 * GIF: the first frame, on its canvas. Where the frame leaves the canvas open, it has the transparent colour, or else the
 * palette's first.
 *
 * <p>Decoded here from its bits: the JDK 17's reader lost pixels of interlaced images with two colours.
 */
final class GifCodec implements Codec {

    private static final int MAX_CODES = 4096;
    private static final int CODES_PER_CHECK = 8192;

    @Override
    public Size size(byte[] file) throws Refusal {
        GifFrame frame = GifFrame.first(file);
        return new Size(frame.canvasWidth(), frame.canvasHeight());
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal {
        GifFrame frame = GifFrame.first(file);
        byte[] indices = unpack(file, frame, cancellation);
        byte[] palette = palette(file, frame);
        RgbImage canvas = RgbImage.black(frame.canvasWidth(), frame.canvasHeight());
        byte[] pixels = canvas.pixels();
        if (frame.width() != canvas.width() || frame.height() != canvas.height()) {
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = palette[3 * frame.background() + i % 3];
            }
        }
        for (int row = 0, from = 0; row < frame.height(); row++) {
            int y = frame.interlaced() ? interlaced(row, frame.height()) : row;
            int to = 3 * ((frame.y() + y) * canvas.width() + frame.x());
            for (int x = 0; x < frame.width(); x++, to += 3) {
                System.arraycopy(palette, 3 * (indices[from++] & 0xFF), pixels, to, 3);
            }
        }
        return canvas;
    }

    /** 256 colours: the file's and then black, or grey where the file names none. */
    private static byte[] palette(byte[] file, GifFrame frame) {
        byte[] palette = new byte[3 * 256];
        System.arraycopy(file, frame.paletteAt(), palette, 0, 3 * frame.paletteColours());
        for (int i = 0; frame.paletteColours() == 0 && i < palette.length; i++) {
            palette[i] = (byte) (i / 3);
        }
        return palette;
    }

    /** The place of the n-th stored row: every 8th from 0, every 8th from 4, every 4th from 2, every 2nd from 1. */
    private static int interlaced(int row, int height) {
        int eighths = (height + 7) / 8;
        int fromFour = (height + 3) / 8;
        int fromTwo = (height + 1) / 4;
        if (row < eighths) {
            return 8 * row;
        }
        if (row < eighths + fromFour) {
            return 8 * (row - eighths) + 4;
        }
        if (row < eighths + fromFour + fromTwo) {
            return 4 * (row - eighths - fromFour) + 2;
        }
        return 2 * (row - eighths - fromFour - fromTwo) + 1;
    }

    /** Undoes the variable-length LZW code; all pixels must be there. */
    private static byte[] unpack(byte[] file, GifFrame frame, Cancellation cancellation) throws Refusal {
        int at = frame.dataAt();
        int count = frame.width() * frame.height();
        int rootBits = ByteCursor.littleEndian(file, at).u8();
        if (rootBits < 1 || rootBits > 8) {
            throw Refusal.corrupt("codes of " + rootBits + " bits");
        }
        Bits bits = new Bits(file, at + 1);
        int clear = 1 << rootBits;
        // Code c is the string of code prefix[c] and then suffix[c]; it starts with first[c].
        short[] prefix = new short[MAX_CODES];
        byte[] suffix = new byte[MAX_CODES];
        byte[] first = new byte[MAX_CODES];
        int[] length = new int[MAX_CODES];
        for (int c = 0; c < clear; c++) {
            suffix[c] = (byte) c;
            first[c] = (byte) c;
            length[c] = 1;
        }
        byte[] pixels = new byte[count];
        int free = clear + 2;
        int codeBits = rootBits + 1;
        int last = -1;
        int done = 0;
        for (int codes = 0; done < count; codes++) {
            if (codes % CODES_PER_CHECK == 0) {
                cancellation.check();
            }
            int code = bits.next(codeBits);
            if (code == clear) {
                free = clear + 2;
                codeBits = rootBits + 1;
                last = -1;
                continue;
            }
            if (code == clear + 1) {
                throw Refusal.truncated("the frame ends after " + done + " of " + count + " pixels");
            }
            if (last >= 0 && free < MAX_CODES && code <= free) {
                prefix[free] = (short) last;
                suffix[free] = code == free ? first[last] : first[code];
                first[free] = first[last];
                length[free] = length[last] + 1;
                free++;
                codeBits += free == 1 << codeBits && codeBits < 12 ? 1 : 0;
            } else if (code >= free || (last < 0 && code >= clear)) {
                throw Refusal.corrupt("code " + code + " has no meaning yet");
            }
            int c = code;
            for (int to = done + length[code] - 1; to >= done; to--) {
                if (to < count) {
                    pixels[to] = suffix[c];
                }
                c = prefix[c];
            }
            done += length[code];
            last = code;
        }
        return pixels;
    }

    /** The codes of a GIF frame: bits from the lowest on, in blocks of up to 255 bytes. */
    private static final class Bits {

        private final ByteCursor cursor;
        private int inBlock;
        private int pending;
        private int count;

        Bits(byte[] file, int at) {
            this.cursor = ByteCursor.littleEndian(file, at);
        }

        /** The next code of up to 12 bits. */
        int next(int bits) throws Refusal {
            while (count < bits) {
                if (inBlock == 0) {
                    inBlock = cursor.u8();
                    if (inBlock == 0) {
                        throw Refusal.truncated("the frame's data ends too early");
                    }
                }
                pending |= cursor.u8() << count;
                inBlock--;
                count += 8;
            }
            int code = pending & ((1 << bits) - 1);
            pending >>>= bits;
            count -= bits;
            return code;
        }
    }
}
