package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
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
        Frame frame = Frame.first(file);
        return new Size(frame.canvasWidth(), frame.canvasHeight());
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal {
        Frame frame = Frame.first(file);
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
    private static byte[] palette(byte[] file, Frame frame) {
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
    private static byte[] unpack(byte[] file, Frame frame, Cancellation cancellation) throws Refusal {
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

    /**
     * The first frame of a GIF: its place on the canvas, and where its palette (0: nowhere) and its data stand in the file.
     * The canvas is the logical screen, or larger where the frame is.
     */
    record Frame(
            int canvasWidth,
            int canvasHeight,
            int x,
            int y,
            int width,
            int height,
            boolean interlaced,
            int paletteAt,
            int paletteColours,
            int background,
            int dataAt) {

        private static final int EXTENSION = 0x21;
        private static final int IMAGE = 0x2C;
        private static final int TRAILER = 0x3B;
        private static final int GRAPHIC_CONTROL = 0xF9;

        static Frame first(byte[] file) throws Refusal {
            ByteCursor cursor = ByteCursor.littleEndian(file, 6);
            int screenWidth = cursor.u16();
            int screenHeight = cursor.u16();
            int screenFlags = cursor.u8();
            cursor.skip(2);
            int screenPalette = cursor.position();
            cursor.skip(3L * colours(screenFlags));
            int background = skipToImage(cursor);
            int x = cursor.u16();
            int y = cursor.u16();
            int width = cursor.u16();
            int height = cursor.u16();
            if (width == 0 || height == 0) {
                throw Refusal.corrupt("the first frame has no pixels");
            }
            int flags = cursor.u8();
            int ownPalette = cursor.position();
            cursor.skip(3L * colours(flags));
            boolean own = colours(flags) > 0;
            return new Frame(
                    Math.max(screenWidth, x + width),
                    Math.max(screenHeight, y + height),
                    x,
                    y,
                    width,
                    height,
                    (flags & 0x40) != 0,
                    own ? ownPalette : screenPalette,
                    own ? colours(flags) : colours(screenFlags),
                    background,
                    cursor.position());
        }

        /** Passes over extensions; returns the transparent colour that they name, or 0. */
        private static int skipToImage(ByteCursor cursor) throws Refusal {
            int transparent = 0;
            for (int block = cursor.u8(); block != IMAGE; block = cursor.u8()) {
                if (block == TRAILER) {
                    throw Refusal.corrupt("there is no frame in the file");
                }
                if (block == EXTENSION) {
                    boolean control = cursor.u8() == GRAPHIC_CONTROL;
                    int length = cursor.u8();
                    if (control && length >= 4) {
                        int flags = cursor.u8();
                        cursor.skip(2);
                        int index = cursor.u8();
                        cursor.skip(length - 4L);
                        transparent = (flags & 1) == 0 ? 0 : index;
                        length = cursor.u8();
                    }
                    while (length != 0) {
                        cursor.skip(length);
                        length = cursor.u8();
                    }
                }
            }
            return transparent;
        }

        private static int colours(int flags) {
            return (flags & 0x80) == 0 ? 0 : 2 << (flags & 7);
        }
    }
}
