package io.github.gramian.image.codec;

/** The codes of a GIF frame: bits from the lowest on, in blocks of up to 255 bytes. */
final class GifBits {

    private final ByteCursor cursor;
    private int inBlock;
    private int pending;
    private int count;

    GifBits(byte[] file, int at) {
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
