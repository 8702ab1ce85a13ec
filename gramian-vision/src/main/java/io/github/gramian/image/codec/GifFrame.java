package io.github.gramian.image.codec;

/**
 * The first frame of a GIF: its place on the canvas, and where its palette (0: nowhere) and its data stand in the file.
 * The canvas is the logical screen, or larger where the frame is.
 */
record GifFrame(
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

    static GifFrame first(byte[] file) throws Refusal {
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
        return new GifFrame(
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
