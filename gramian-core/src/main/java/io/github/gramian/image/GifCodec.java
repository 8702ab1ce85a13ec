package io.github.gramian.image;

import java.io.IOException;

/**
 * GIF: the first frame, on a canvas of the logical screen's size (or the frame's, where that is larger). Where the frame
 * leaves the canvas open, it has the transparent colour, or else the palette's first.
 */
final class GifCodec implements Codec {

    @Override
    public Size size(byte[] file) throws Refusal {
        Frame frame = Frame.first(file);
        return new Size(frame.canvasWidth(), frame.canvasHeight());
    }

    @Override
    public RgbImage decode(byte[] file) throws Refusal, IOException {
        Frame frame = Frame.first(file);
        frame.checkData(file);
        RgbImage image = Readers.SHARED.gif(file);
        new Size(frame.width(), frame.height()).check(image);
        if (frame.fillsCanvas()) {
            return image;
        }
        RgbImage canvas = RgbImage.black(frame.canvasWidth(), frame.canvasHeight());
        byte[] pixels = canvas.pixels();
        int colour = frame.paletteAt() + 3 * frame.background();
        for (int i = 0; frame.paletteAt() > 0 && colour + 2 < file.length && i < pixels.length; i++) {
            pixels[i] = file[colour + i % 3];
        }
        for (int y = 0; y < image.height(); y++) {
            int to = 3 * ((frame.y() + y) * canvas.width() + frame.x());
            System.arraycopy(image.pixels(), 3 * y * image.width(), pixels, to, 3 * image.width());
        }
        return canvas;
    }

    /** The first frame: its place on the canvas, and where its palette stands in the file (0: nowhere). */
    private record Frame(
            int canvasWidth,
            int canvasHeight,
            int x,
            int y,
            int width,
            int height,
            int paletteAt,
            int background,
            int dataAt) {

        boolean fillsCanvas() {
            return width == canvasWidth && height == canvasHeight;
        }

        static Frame first(byte[] file) throws Refusal {
            ByteCursor cursor = ByteCursor.littleEndian(file, 6);
            int screenWidth = cursor.u16();
            int screenHeight = cursor.u16();
            int flags = cursor.u8();
            cursor.skip(2);
            int palette = skipPalette(cursor, flags, 0);
            int background = 0;
            int block = cursor.u8();
            while (block != 0x2C) {
                if (block == 0x3B) {
                    throw Refusal.corrupt("there is no frame in the file");
                }
                if (block == 0x21 && cursor.u8() == 0xF9) {
                    background = transparentColour(cursor);
                }
                if (block == 0x21) {
                    skipBlocks(cursor);
                }
                block = cursor.u8();
            }
            int x = cursor.u16();
            int y = cursor.u16();
            int width = cursor.u16();
            int height = cursor.u16();
            if (width == 0 || height == 0) {
                throw Refusal.corrupt("the first frame has no pixels");
            }
            palette = skipPalette(cursor, cursor.u8(), palette);
            return new Frame(
                    Math.max(screenWidth, x + width),
                    Math.max(screenHeight, y + height),
                    x,
                    y,
                    width,
                    height,
                    palette,
                    background,
                    cursor.position());
        }

        /** Walks to the end mark of the frame's data: the reader itself would leave the rest black without a word. */
        void checkData(byte[] file) throws Refusal {
            ByteCursor cursor = ByteCursor.littleEndian(file, dataAt);
            int codeBits = cursor.u8();
            if (codeBits < 1 || codeBits > 11) {
                throw Refusal.corrupt("codes of " + codeBits + " bits");
            }
            skipBlocks(cursor);
        }

        private static int skipPalette(ByteCursor cursor, int flags, int otherwise) throws Refusal {
            if ((flags & 0x80) == 0) {
                return otherwise;
            }
            int at = cursor.position();
            cursor.skip(3L << ((flags & 7) + 1));
            return at;
        }

        /** Reads a graphic control block up to its end mark, which is left for {@link #skipBlocks}. */
        private static int transparentColour(ByteCursor cursor) throws Refusal {
            int length = cursor.u8();
            if (length < 4) {
                cursor.skip(length);
                return 0;
            }
            int flags = cursor.u8();
            cursor.skip(2);
            int index = cursor.u8();
            cursor.skip(length - 4L);
            return (flags & 1) == 0 ? 0 : index;
        }

        private static void skipBlocks(ByteCursor cursor) throws Refusal {
            int length = cursor.u8();
            while (length != 0) {
                cursor.skip(length);
                length = cursor.u8();
            }
        }
    }
}
