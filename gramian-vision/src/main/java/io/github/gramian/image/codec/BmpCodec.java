package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import java.io.IOException;

/** BMP: palette of 1, 4 or 8 bits (also run-length coded), 16, 24 and 32 bits, upright or top-down. */
final class BmpCodec implements Codec {

    private static final int FILE_HEADER = 14;
    private static final int FIRST_HEADER_WITH_PROFILE = 108;

    @Override
    public Size size(byte[] file) throws Refusal {
        Header header = Header.read(file);
        return new Size(header.width(), header.height());
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        Header header = Header.read(file);
        header.checkKind();
        header.checkLength(file);
        byte[] plain = file;
        if (header.headerBytes() >= FIRST_HEADER_WITH_PROFILE) {
            // A later header may carry a colour profile, or name a file with one: declare plain sRGB instead.
            plain = file.clone();
            byte[] srgb = {'B', 'G', 'R', 's'};
            System.arraycopy(srgb, 0, plain, FILE_HEADER + 56, srgb.length);
        }
        RgbImage image = Readers.SHARED.bmp(plain, cancellation);
        size(file).check(image);
        return image;
    }

    private record Header(
            long pixelsAt, long headerBytes, long width, long height, int bits, long compression, long colours) {

        static Header read(byte[] file) throws Refusal {
            ByteCursor cursor = ByteCursor.littleEndian(file, 10);
            long pixelsAt = cursor.u32();
            long headerBytes = cursor.u32();
            boolean core = headerBytes == 12;
            if (!core && (headerBytes < 40 || headerBytes > 256)) {
                throw Refusal.unsupported("a header of " + headerBytes + " bytes");
            }
            long width = core ? cursor.u16() : cursor.i32();
            long height = Math.abs((long) (core ? cursor.u16() : cursor.i32()));
            cursor.skip(2);
            int bits = cursor.u16();
            long compression = core ? 0 : cursor.u32();
            cursor.skip(core ? 0 : 12);
            long colours = core ? 0 : cursor.u32();
            return new Header(pixelsAt, headerBytes, width, height, bits, compression, colours);
        }

        void checkKind() throws Refusal {
            boolean known = switch ((int) Math.min(compression, 99)) {
                case 0 -> bits == 1 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
                case 1 -> bits == 8;
                case 2 -> bits == 4;
                case 3 -> bits == 16 || bits == 32;
                default -> false;
            };
            if (!known) {
                throw Refusal.unsupported(bits + " bits with compression " + compression);
            }
            if (colours > (bits <= 8 ? 1 << bits : 256)) {
                throw Refusal.corrupt("a palette of " + colours + " colours");
            }
        }

        /** All pixels must be there, in rows of whole 4 bytes; run-length codes are checked only when they are decoded. */
        void checkLength(byte[] file) throws Refusal {
            ByteCursor cursor = ByteCursor.littleEndian(file, 0);
            cursor.seek(pixelsAt);
            boolean runLength = compression == 1 || compression == 2;
            if (!runLength && (width * bits + 31) / 32 * 4 * height > cursor.remaining()) {
                throw Refusal.truncated("not all of " + width + "×" + height + " pixels are there");
            }
        }
    }
}
