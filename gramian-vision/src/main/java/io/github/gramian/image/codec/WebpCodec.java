package io.github.gramian.image.codec;

import io.github.gramian.image.codec.vp8.internal.LosslessFrame;
import io.github.gramian.image.codec.vp8.internal.Vp8Frame;
import java.io.IOException;

/**
 * WebP: lossy and lossless, without alpha and profiles. Of an animation, the first frame, if it fills the canvas.
 *
 * <p>Decoded here from its bits: the reader of TwelveMonkeys 3.14.0 predicts lossy frames from pixels that it has smoothed
 * already, which silently gives other colours.
 */
final class WebpCodec implements Codec {

    private static final int FIRST_CHUNK = 12;
    private static final int CHUNK_HEADER = 8;
    private static final int ANIMATION_FRAME_HEADER = 16;

    @Override
    public Size size(byte[] file) throws Refusal {
        ByteCursor cursor = ByteCursor.littleEndian(file, FIRST_CHUNK);
        String name = cursor.name();
        cursor.skip(4);
        return sizeOf(name, cursor);
    }

    @Override
    public RgbImage decode(byte[] file) throws Refusal, IOException {
        ByteCursor cursor = ByteCursor.littleEndian(file, 4);
        long end = cursor.u32() + 8;
        if (end > file.length) {
            throw Refusal.truncated("the file says that it has " + end + " bytes");
        }
        cursor.seek(FIRST_CHUNK);
        Orientation orientation = Orientation.UPRIGHT;
        String frame = "";
        int frameAt = 0;
        int frameLength = 0;
        while (cursor.position() + CHUNK_HEADER <= end) {
            String name = cursor.name();
            int length = (int) Math.min(cursor.u32(), Integer.MAX_VALUE);
            int start = cursor.position();
            if (name.equals("ANMF")) {
                // The frame's own chunks follow its header; they are walked like all others.
                cursor.skip(Math.min(length, ANIMATION_FRAME_HEADER));
                continue;
            }
            cursor.skip(length);
            if (frame.isEmpty() && (name.equals("VP8 ") || name.equals("VP8L"))) {
                // The limits were checked for the first chunk; a later one may claim more.
                if (!sizeOf(name, ByteCursor.littleEndian(file, start)).equals(size(file))) {
                    throw Refusal.unsupported("the frame has another size than the canvas");
                }
                frame = name;
                frameAt = start;
                frameLength = length;
            } else if (name.equals("EXIF")) {
                orientation = exif(file, start, length);
            }
            cursor.skip(Math.min(length & 1, cursor.remaining()));
        }
        if (frame.isEmpty()) {
            throw Refusal.truncated("there is no frame in the file");
        }
        Size size = size(file);
        byte[] pixels = frame.equals("VP8 ")
                ? Vp8Frame.decode(file, frameAt, frameLength)
                : LosslessFrame.decode(file, frameAt, frameLength);
        return orientation.apply(new RgbImage((int) size.width(), (int) size.height(), pixels));
    }

    private static Size sizeOf(String name, ByteCursor chunk) throws Refusal {
        switch (name) {
            case "VP8X" -> {
                chunk.skip(4);
                return new Size(chunk.u24() + 1, chunk.u24() + 1);
            }
            case "VP8L" -> {
                if (chunk.u8() != 0x2F) {
                    throw Refusal.corrupt("the lossless frame has no signature");
                }
                long bits = chunk.u32();
                return new Size((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1);
            }
            case "VP8 " -> {
                if ((chunk.u24() & 1) != 0 || chunk.u24() != 0x2A019D) {
                    throw Refusal.corrupt("the frame does not start with a key frame");
                }
                return new Size(chunk.u16() & 0x3FFF, chunk.u16() & 0x3FFF);
            }
            default -> throw Refusal.corrupt("the first chunk is " + name);
        }
    }

    private static Orientation exif(byte[] file, int start, int length) {
        // Some writers put JPEG's prefix in front.
        int prefix = ByteCursor.startsWith(file, start, "Exif\0\0") && length >= 6 ? 6 : 0;
        return TiffDirectory.orientationOfExif(file, start + prefix, start + length);
    }
}
