package io.github.gramian.image;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** Image files made on the spot. */
final class Fixtures {

    private Fixtures() {}

    /** Smooth colours with some noise, so that neither flips nor swapped channels go unseen. */
    static RgbImage picture(int width, int height, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] rgb = new byte[3 * width * height];
        for (int y = 0, i = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                rgb[i++] = (byte) (230 * x / width + random.nextInt(20));
                rgb[i++] = (byte) (230 * y / height + random.nextInt(20));
                rgb[i++] = (byte) (115 * (width - x) / width + 115 * y / height + random.nextInt(20));
            }
        }
        return new RgbImage(width, height, rgb);
    }

    static BufferedImage asAwt(RgbImage image, int type) {
        BufferedImage awt = new BufferedImage(image.width(), image.height(), type);
        for (int y = 0; y < image.height(); y++) {
            for (int x = 0; x < image.width(); x++) {
                awt.setRGB(
                        x,
                        y,
                        0xFF000000
                                | (image.sample(x, y, 0) << 16)
                                | (image.sample(x, y, 1) << 8)
                                | image.sample(x, y, 2));
            }
        }
        return awt;
    }

    static byte[] file(RgbImage image, String format) {
        return file(asAwt(image, BufferedImage.TYPE_INT_RGB), format);
    }

    static byte[] file(BufferedImage image, String format) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            if (!ImageIO.write(image, format, out)) {
                throw new IllegalStateException("no writer for " + format);
            }
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return out.toByteArray();
    }

    static byte[] progressive(RgbImage image, String format) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream stream = new MemoryCacheImageOutputStream(out)) {
            writer.setOutput(stream);
            ImageWriteParam param = writer.getDefaultWriteParam();
            param.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
            writer.write(null, new IIOImage(asAwt(image, BufferedImage.TYPE_INT_RGB), null, null), param);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }

    /** A lossless WebP of one colour: every code has one symbol, so that the pixels themselves take no bit. */
    static byte[] webp(int width, int height, int red, int green, int blue) {
        Bits bits = new Bits();
        bits.put(0x2F, 8).put(width - 1, 14).put(height - 1, 14).put(0, 4).put(0, 3);
        for (int symbol : new int[] {green, red, blue, 255}) {
            bits.put(0b101, 3).put(symbol, 8);
        }
        bits.put(0b0001, 4);
        byte[] frame = bits.bytes();
        return riff(chunk("VP8L", frame));
    }

    /** A lossy WebP of 40×27: red grows to the right, green downwards, blue stays near 60. Written by libwebp. */
    static byte[] lossyWebp() {
        return HexFormat.of()
                .parseHex(
                        "5249464682000000574542505650382076000000d004009d012a28001b003ed154a44dbaad23a23ab99803501a09"
                                + "6a009d335a41e8e5c26930c7a3cbbca37e0affe60000fef4513fe48e566daeccf4d210016d0dbabe8a31fe98f2f4"
                                + "1e24b9aa5665e121da4c26387513d7ee285940dfc367518d3aeb383bbf3ba438f3234ffac452e0e9abb4ae200000");
    }

    static byte[] riff(byte[]... chunks) {
        byte[] body = join(chunks);
        return join(
                "RIFF".getBytes(StandardCharsets.ISO_8859_1),
                little(4 + body.length),
                "WEBP".getBytes(StandardCharsets.ISO_8859_1),
                body);
    }

    static byte[] chunk(String name, byte[] content) {
        return join(
                name.getBytes(StandardCharsets.ISO_8859_1),
                little(content.length),
                content,
                new byte[content.length & 1]);
    }

    /** A little-endian TIFF structure with one directory of short tags (tag, value, tag, value, …). */
    static byte[] tags(int... tagsAndValues) {
        ByteBuffer buffer = ByteBuffer.allocate(14 + 6 * tagsAndValues.length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put((byte) 'I').put((byte) 'I').putShort((short) 42).putInt(8);
        buffer.putShort((short) (tagsAndValues.length / 2));
        for (int i = 0; i < tagsAndValues.length; i += 2) {
            buffer.putShort((short) tagsAndValues[i])
                    .putShort((short) 4)
                    .putInt(1)
                    .putInt(tagsAndValues[i + 1]);
        }
        return buffer.array();
    }

    /** The JPEG with an EXIF segment that asks for this orientation. */
    static byte[] withExif(byte[] jpeg, int orientation) {
        byte[] exif = join("Exif\0\0".getBytes(StandardCharsets.ISO_8859_1), tags(274, orientation));
        byte[] marker = {(byte) 0xFF, (byte) 0xE1, (byte) ((exif.length + 2) >> 8), (byte) (exif.length + 2)};
        return join(Arrays.copyOf(jpeg, 2), marker, exif, Arrays.copyOfRange(jpeg, 2, jpeg.length));
    }

    static byte[] pngChunk(String name, byte[] content) {
        byte[] named = join(name.getBytes(StandardCharsets.ISO_8859_1), content);
        CRC32 crc = new CRC32();
        crc.update(named);
        return join(big(content.length), named, big((int) crc.getValue()));
    }

    static byte[] big(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    static byte[] little(int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** The folder of real images, if this machine has it. */
    static Path data(String folder) {
        return Path.of(System.getProperty("gramian.data", "../../shared/data")).resolve(folder);
    }

    static boolean hasData(String folder) {
        return Files.isDirectory(data(folder));
    }

    private static final class Bits {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private int pending;
        private int count;

        Bits put(int value, int bits) {
            for (int i = 0; i < bits; i++) {
                pending |= ((value >> i) & 1) << count;
                if (++count == 8) {
                    out.write(pending);
                    pending = 0;
                    count = 0;
                }
            }
            return this;
        }

        byte[] bytes() {
            if (count > 0) {
                out.write(pending);
            }
            out.write(0);
            return out.toByteArray();
        }
    }
}
