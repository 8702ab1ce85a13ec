package io.github.gramian.image.codec;

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
public final class Fixtures {

    private Fixtures() {}

    /** Smooth colours with some noise, so that neither flips nor swapped channels go unseen. */
    public static RgbImage picture(int width, int height, long seed) {
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

    public static byte[] file(RgbImage image, String format) {
        return file(asAwt(image, BufferedImage.TYPE_INT_RGB), format);
    }

    public static byte[] file(BufferedImage image, String format) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            if (!ImageIO.write(image, format, out)) {
                throw new IllegalStateException("no writer for " + format);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
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

    /** A lossy WebP of 40×27: red grows to the right, green downwards, blue remains near 60. Written by libwebp. */
    static byte[] lossyWebp() {
        return HexFormat.of()
                .parseHex(
                        "5249464682000000574542505650382076000000d004009d012a28001b003ed154a44dbaad23a23ab99803501a09"
                                + "6a009d335a41e8e5c26930c7a3cbbca37e0affe60000fef4513fe48e566daeccf4d210016d0dbabe8a31fe98f2f4"
                                + "1e24b9aa5665e121da4c26387513d7ee285940dfc367518d3aeb383bbf3ba438f3234ffac452e0e9abb4ae200000");
    }

    /** A lossless WebP of 40×27 with smooth colours, predicted and with its colours crossed. Written by libwebp. */
    static byte[] smoothWebp() {
        return HexFormat.of()
                .parseHex("524946466a010000574542505650384c5e0100002f2780060001802006fc570b88e87f4a064202c2ffd19ae44044"
                        + "ff2740fa05486d240992fcbde14ff8bab2b25b8b40489042923a88244991ae1cdc3d33c331ccf8d75096c28124a9"
                        + "7183c5b2c00a9fc923288430ff78d13d5ec81fe057c78777c39b3d002e23ca8524dc7bbcef4002005643002e4b5b"
                        + "0077ab25c8a654a88b967c4890dd627c5685682d1c49778c3e02300360465ce443ed22b76191e300164e621852c6"
                        + "25f1181d5f008ccb2abdd0b5f7d628f5863aee43d762502640608979859cf2ea23a7e5fc00901e00899857ea27b9"
                        + "50ead88540e28eb956825c92524f40200332e6a42e891eff232890719591dd514c0d7905a105645cd0b20f7009bc"
                        + "c35900b7f69a44a4866c13e3446d2d494c03e40e488f7c0e4720b357185e24c8076076c082be750fe29593189006"
                        + "905c7bcbba7c2fd4c80f00207c43f61ebe3f241a0e343c805c901bf2405ec807f92135d2223d3222f3593ffbdf20"
                        + "3b22");
    }

    /** A lossless WebP of 31×22 with five colours. Written by libwebp. */
    static byte[] paletteWebp() {
        return HexFormat.of()
                .parseHex("52494646a4000000574542505650384c970000002f1e40050075306edb36d0a1cf9bf046ee5ee7247547088c586d"
                        + "db368cff1f7569ea2c3269db54fb6efeda7f066e1b29ca32dd0d7ee2adcd3ca17b93bdd4fefe522d066264904dc8"
                        + "209b504ca1988d9d50895a8e1e60a9812e84c04b4bff4be14522c7b9fe6d1b461de9cf7eb973db1d6940fc083560"
                        + "bf62f64de1c343fd2d89f0d9e90fafbd61762e851afb46959f6a1dc91dcdb0293000");
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
    public static Path data(String folder) {
        return Path.of(System.getProperty("gramian.data", "../../shared/data")).resolve(folder);
    }

    public static boolean hasData(String folder) {
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
