package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.TiffCodec.Directory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * WebP: lossy and lossless, without alpha and profiles. Of an animation, the first frame, if it fills the canvas. libwebp
 * gets that frame alone, in a new file: the rest of the container is read by our own code.
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
    public int passes(byte[] file) {
        return 6;
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal {
        ByteCursor cursor = ByteCursor.littleEndian(file, 4);
        long end = cursor.u32() + 8;
        if (end > file.length) {
            throw Refusal.truncated("the header gives a length of " + end + " bytes");
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
                    throw Refusal.unsupported("the size of the frame differs from the canvas");
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
        RgbImage image = Leptonica.webp(alone(frame, file, frameAt, frameLength), orientation)
                .orElseThrow(() -> Refusal.corrupt("libwebp cannot decode the frame"));
        size(file).upright(orientation).check(image);
        return image;
    }

    /** A file of one chunk. */
    private static byte[] alone(String name, byte[] file, int at, int length) {
        int padded = length + (length & 1);
        ByteBuffer alone =
                ByteBuffer.allocate(FIRST_CHUNK + CHUNK_HEADER + padded).order(ByteOrder.LITTLE_ENDIAN);
        alone.put("RIFF".getBytes(StandardCharsets.ISO_8859_1))
                .putInt(FIRST_CHUNK + padded)
                .put(("WEBP" + name).getBytes(StandardCharsets.ISO_8859_1))
                .putInt(length)
                .put(file, at, length);
        return alone.array();
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
        // Some writers put JPEG's prefix before it.
        int prefix = ByteCursor.startsWith(file, start, "Exif\0\0") && length >= 6 ? 6 : 0;
        return Directory.orientationOfExif(file, start + prefix, start + length);
    }
}
