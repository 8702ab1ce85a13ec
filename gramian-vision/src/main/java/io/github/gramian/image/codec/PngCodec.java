package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.TiffCodec.Directory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.CRC32;

/**
 * PNG: all colour types and depths, interlaced or not. Of an animation, the still picture.
 *
 * <p>The reader gets only the chunks that make pixels, with their checksums verified: text chunks and profiles are compressed
 * and may be decompression bombs, and transparency would only be dropped later.
 */
final class PngCodec implements Codec {

    static final String SIGNATURE = "\u0089PNG\r\n\u001A\n";

    private static final int CHUNK_OVERHEAD = 12;
    private static final int DEPTH_AT = 24;
    private static final int INTERLACE_AT = 28;

    @Override
    public Size size(byte[] file) throws Refusal {
        ByteCursor cursor = ByteCursor.bigEndian(file, SIGNATURE.length());
        if (cursor.u32() != 13 || !cursor.name().equals("IHDR")) {
            throw Refusal.corrupt("the first chunk is not a header");
        }
        long width = cursor.u32();
        long height = cursor.u32();
        checkDepth(cursor.u8(), cursor.u8());
        return new Size(width, height);
    }

    /** The JDK's reader copies pixels of 16 bits and of interlaced images one by one. */
    @Override
    public int passes(byte[] file) throws Refusal {
        ByteCursor cursor = ByteCursor.bigEndian(file, DEPTH_AT);
        boolean deep = cursor.u8() == 16;
        cursor.seek(INTERLACE_AT);
        boolean interlaced = cursor.u8() != 0;
        return deep ? 48 : interlaced ? 18 : 12;
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        Orientation[] orientation = {Orientation.UPRIGHT};
        ByteArrayOutputStream essence = new ByteArrayOutputStream(file.length);
        essence.write(file, 0, SIGNATURE.length());
        eachChunk(file, (name, start, length) -> {
            if (isCritical(name)) {
                essence.write(file, start - 8, length + CHUNK_OVERHEAD);
            } else if (name.equals("eXIf")) {
                orientation[0] = Directory.orientationOfExif(file, start, start + length);
            }
        });
        RgbImage image = Readers.SHARED.png(essence.toByteArray(), cancellation);
        size(file).check(image);
        return orientation[0].apply(image);
    }

    private interface Visitor {
        void visit(String name, int start, int length) throws Refusal;
    }

    /** Visits all chunks up to the end mark, and refuses a file without one. */
    private static void eachChunk(byte[] file, Visitor visitor) throws Refusal {
        ByteCursor cursor = ByteCursor.bigEndian(file, SIGNATURE.length());
        String name;
        do {
            long length = cursor.u32();
            name = cursor.name();
            int start = cursor.position();
            cursor.skip(length);
            long checksum = cursor.u32();
            if (isCritical(name)) {
                CRC32 crc = new CRC32();
                crc.update(file, start - 4, (int) length + 4);
                if (crc.getValue() != checksum) {
                    throw Refusal.corrupt("the checksum of " + name + " does not match");
                }
                if (name.equals("PLTE") && (length % 3 != 0 || length > 3 * 256 || length == 0)) {
                    throw Refusal.corrupt("a palette of " + length + " bytes");
                }
            }
            visitor.visit(name, start, (int) length);
        } while (!name.equals("IEND"));
    }

    private static boolean isCritical(String name) {
        return name.equals("IHDR") || name.equals("PLTE") || name.equals("IDAT") || name.equals("IEND");
    }

    private static void checkDepth(int bits, int colourType) throws Refusal {
        boolean known = switch (colourType) {
            case 0 -> bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
            case 3 -> bits == 1 || bits == 2 || bits == 4 || bits == 8;
            case 2, 4, 6 -> bits == 8 || bits == 16;
            default -> false;
        };
        if (!known) {
            throw Refusal.corrupt("colour type " + colourType + " with " + bits + " bits");
        }
    }
}
