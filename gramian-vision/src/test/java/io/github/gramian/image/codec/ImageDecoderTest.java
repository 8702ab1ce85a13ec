package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.gramian.check.ResidentMemory;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.internal.Resampler;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

public class ImageDecoderTest extends DecoderFixture {

    @ParameterizedTest
    @ValueSource(strings = {"png", "bmp", "tiff"})
    void a_lossless_file_gives_back_every_pixel(String format) {
        assertThat(image(Fixtures.file(PICTURE, format))).isEqualTo(PICTURE);
    }

    @Test
    void an_interlaced_png_gives_back_every_pixel() throws IOException {
        assertThat(image(Fixtures.progressive(PICTURE, "png"))).isEqualTo(PICTURE);
    }

    @Test
    void jpeg_baseline_and_progressive_are_close_to_the_original() throws IOException {
        RgbImage smooth = new Resampler(Interpolation.BICUBIC).resize(Fixtures.picture(8, 8, 2), 64, 48);
        assertThat(distance(image(Fixtures.file(smooth, "jpg")), smooth)).isLessThan(4);
        assertThat(distance(image(Fixtures.progressive(smooth, "jpg")), smooth)).isLessThan(4);
    }

    /** Native memory that is not freed would be 2 GB here. */
    @Test
    void decoding_gives_back_its_native_memory() throws IOException {
        assumeThat(ResidentMemory.isKnown())
                .as("resident memory is read from /proc")
                .isTrue();
        byte[] jpeg = Fixtures.file(Fixtures.picture(1000, 800, 3), "jpg");
        byte[] cut = Arrays.copyOf(jpeg, jpeg.length / 2);
        byte[] webp = Fixtures.webp(1000, 800, 9, 8, 7);
        long before = 0;
        for (int i = 0; i < 220; i++) {
            if (i == 20) {
                before = ResidentMemory.kilobytes();
            }
            image(jpeg);
            image(webp);
            assertThat(rejection(cut)).isEqualTo(Rejection.TRUNCATED);
        }
        assertThat(ResidentMemory.kilobytes() - before).isLessThan(500_000);
    }

    @Test
    void a_lossless_webp_gives_its_colour() {
        RgbImage image = image(Fixtures.webp(19, 11, 200, 30, 77));
        assertThat(image.width()).isEqualTo(19);
        assertThat(image.height()).isEqualTo(11);
        assertThat(new int[] {image.sample(18, 10, 0), image.sample(18, 10, 1), image.sample(18, 10, 2)})
                .containsExactly(200, 30, 77);
    }

    @Test
    void a_lossy_webp_is_decoded_to_the_bit_as_libwebp_does() throws NoSuchAlgorithmException {
        RgbImage image = image(Fixtures.lossyWebp());
        assertThat(image.width()).isEqualTo(40);
        assertThat(new int[] {image.sample(39, 26, 0), image.sample(39, 26, 1), image.sample(39, 26, 2)})
                .containsExactly(243, 245, 64);
        assertThat(sha256(image)).isEqualTo("ff91236f0f60889eb770c162e518ea1529aac895f0ecd6dac16d6575c08b56cb");
    }

    @Test
    void a_lossless_webp_gives_back_what_libwebp_was_given() throws NoSuchAlgorithmException {
        assertThat(sha256(image(Fixtures.smoothWebp())))
                .isEqualTo("dc74de84f4a304e1d6f5a87c46fe3e6383ac6ac592f579ca877134a22db986d6");
        assertThat(sha256(image(Fixtures.paletteWebp())))
                .isEqualTo("c0e168c0e8e63116bd882738c3380a06de94d6141f26fa1f1d23f106a8011721");
    }

    private static String sha256(RgbImage image) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(image.pixels()));
    }

    @Test
    void grey_and_sixteen_bit_and_palette_images_become_eight_bit_rgb() {
        BufferedImage deep = new BufferedImage(3, 2, BufferedImage.TYPE_USHORT_GRAY);
        deep.getRaster().setSample(1, 0, 0, 0xABCD);
        assertThat(image(Fixtures.file(deep, "png")).sample(1, 0, 2)).isEqualTo(0xAB);

        BufferedImage bits = new BufferedImage(9, 4, BufferedImage.TYPE_BYTE_BINARY);
        bits.setRGB(8, 1, 0xFFFFFFFF);
        for (String format : new String[] {"png", "bmp", "gif", "tiff"}) {
            RgbImage image = image(Fixtures.file(bits, format));
            assertThat(image.sample(8, 1, 1)).as(format).isEqualTo(255);
            assertThat(image.sample(7, 1, 1)).as(format).isZero();
        }
        BufferedImage grey = Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_GRAY);
        for (String format : new String[] {"png", "bmp", "tiff"}) {
            RgbImage image = image(Fixtures.file(grey, format));
            assertThat(image.sample(30, 20, 0))
                    .as(format)
                    .isEqualTo(grey.getRaster().getSample(30, 20, 0));
        }
    }

    @Test
    void five_six_and_five_bits_of_a_bmp_become_eight_each() {
        // 2×1 pixels: white, and green of 32/63; both fit into the 4 bytes of a row
        byte[] bmp = Fixtures.join(
                new byte[] {'B', 'M'},
                Fixtures.little(70),
                Fixtures.little(0),
                Fixtures.little(66),
                Fixtures.little(40),
                Fixtures.little(2),
                Fixtures.little(1),
                new byte[] {1, 0, 16, 0},
                Fixtures.little(3),
                new byte[20],
                Fixtures.little(0xF800),
                Fixtures.little(0x07E0),
                Fixtures.little(0x001F),
                new byte[] {(byte) 0xFF, (byte) 0xFF, 0x00, 0x04});
        assertThat(image(bmp)).isEqualTo(new RgbImage(2, 1, new byte[] {-1, -1, -1, 0, (byte) (32 * 255 / 63), 0}));
    }

    @Test
    void alpha_is_dropped_and_the_colour_does_not_change() {
        BufferedImage clear = new BufferedImage(2, 2, BufferedImage.TYPE_INT_ARGB);
        clear.setRGB(1, 0, 0x00C86432);
        RgbImage image = image(Fixtures.file(clear, "png"));
        assertThat(new int[] {image.sample(1, 0, 0), image.sample(1, 0, 1), image.sample(1, 0, 2)})
                .containsExactly(200, 100, 50);
    }

    @Test
    void a_gif_frame_smaller_than_the_screen_lies_where_its_header_places_it() {
        BufferedImage red = new BufferedImage(4, 3, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = red.createGraphics();
        pen.fillRect(0, 0, 4, 3);
        pen.dispose();
        byte[] gif = Fixtures.file(red, "gif");
        int frame = indexOf(gif, 0x2C);
        gif[6] = 10; // screen width
        gif[8] = 8; // screen height
        gif[frame + 1] = 5;
        gif[frame + 3] = 2;
        RgbImage image = image(gif);
        assertThat(image.width()).isEqualTo(10);
        assertThat(image.height()).isEqualTo(8);
        assertThat(image.sample(5, 2, 0)).isEqualTo(255);
        assertThat(image.sample(8, 4, 0)).isEqualTo(255);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void every_exif_orientation_is_turned_upright(int orientation) throws IOException {
        byte[] jpeg = Fixtures.file(PICTURE, "jpg");
        RgbImage stored = image(jpeg);
        RgbImage upright = Orientation.ofTag(orientation).apply(stored);
        assertThat(image(Fixtures.withExif(jpeg, orientation))).isEqualTo(upright);
        assertThat(upright.width()).isEqualTo(orientation > 4 ? 27 : 40);
        byte[] png = Fixtures.file(PICTURE, "png");
        byte[] turned = Fixtures.join(
                Arrays.copyOf(png, 33),
                Fixtures.pngChunk("eXIf", Fixtures.tags(274, orientation)),
                Arrays.copyOfRange(png, 33, png.length));
        assertThat(image(turned)).isEqualTo(Orientation.ofTag(orientation).apply(PICTURE));
    }

    @Test
    void turning_right_brings_the_lower_left_corner_to_the_upper_left() {
        RgbImage turned = Orientation.ofTag(6).apply(PICTURE);
        assertThat(turned.sample(0, 0, 0)).isEqualTo(PICTURE.sample(0, 26, 0));
        assertThat(turned.sample(26, 0, 1)).isEqualTo(PICTURE.sample(0, 0, 1));
        assertThat(Orientation.ofTag(9)).isEqualTo(Orientation.UPRIGHT);
    }

    @Test
    void broken_exif_is_ignored() {
        byte[] jpeg = Fixtures.withExif(Fixtures.file(PICTURE, "jpg"), 6);
        jpeg[12] = 'X'; // no byte order any more
        assertThat(image(jpeg).width()).isEqualTo(40);
    }

    @Test
    void the_extension_does_not_matter() throws IOException {
        Path misnamed = Files.write(folder.resolve("picture.jpg"), Fixtures.file(PICTURE, "png"));
        assertThat(decoder.decode(misnamed)).isEqualTo(new Decoded.Picture(PICTURE, ImageFormat.PNG));
    }

    @Test
    void a_link_to_an_image_is_followed() throws IOException {
        Path real = Files.write(folder.resolve("real"), Fixtures.file(PICTURE, "png"));
        assertThat(decoder.decode(Files.createSymbolicLink(folder.resolve("link.png"), real)))
                .isInstanceOf(Decoded.Picture.class);
    }

    @Test
    void no_cache_file_is_left_in_the_temporary_folder() throws IOException {
        long before = cacheFiles();
        for (byte[] file : wholeFiles().toList()) {
            decoder.decode(file);
        }
        assertThat(cacheFiles()).isEqualTo(before);
    }

    private static long cacheFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("imageio"))
                    .count();
        }
    }

    public static double distance(RgbImage one, RgbImage other) {
        long sum = 0;
        for (int i = 0; i < one.pixels().length; i++) {
            sum += Math.abs((one.pixels()[i] & 0xFF) - (other.pixels()[i] & 0xFF));
        }
        return (double) sum / one.pixels().length;
    }

    @Test
    void a_webp_frame_of_another_size_than_its_canvas_is_refused() {
        byte[] canvas = {0, 0, 0, 0, 99, 0, 0, 99, 0, 0};
        byte[] lossy = Fixtures.lossyWebp();
        byte[] frame = Arrays.copyOfRange(lossy, 12, lossy.length);
        assertThat(rejection(Fixtures.riff(Fixtures.chunk("VP8X", canvas), frame)))
                .isEqualTo(Rejection.UNSUPPORTED);
        assertThat(rejection(Fixtures.riff(Fixtures.chunk("VP8X", canvas)))).isEqualTo(Rejection.TRUNCATED);
        canvas[4] = 39;
        canvas[7] = 26;
        byte[] animationFrame = Fixtures.chunk("ANMF", Fixtures.join(new byte[16], frame));
        assertThat(image(Fixtures.riff(
                        Fixtures.chunk("VP8X", canvas), animationFrame, Fixtures.chunk("EXIF", Fixtures.tags(274, 3)))))
                .isEqualTo(Orientation.UPSIDE_DOWN.apply(image(lossy)));
    }

    static Stream<byte[]> headersOfBombs() {
        byte[] jpeg = Fixtures.file(PICTURE, "jpg");
        int frame = indexOf(jpeg, 0xC0);
        byte[] side = {(byte) (60_000 >> 8), (byte) 60_000};
        System.arraycopy(side, 0, jpeg, frame + 4, 2);
        System.arraycopy(side, 0, jpeg, frame + 6, 2);
        byte[] gif = Fixtures.file(PICTURE, "gif");
        for (int i : new int[] {6, 8, indexOf(gif, 0x2C) + 5, indexOf(gif, 0x2C) + 7}) {
            gif[i] = side[1];
            gif[i + 1] = side[0];
        }
        byte[] bmp = Fixtures.file(PICTURE, "bmp");
        System.arraycopy(Fixtures.little(60_000), 0, bmp, 18, 4);
        System.arraycopy(Fixtures.little(-60_000), 0, bmp, 22, 4);
        byte[] png = Fixtures.join(
                PngCodec.SIGNATURE.getBytes(StandardCharsets.ISO_8859_1),
                Fixtures.pngChunk(
                        "IHDR", Fixtures.join(Fixtures.big(60_000), Fixtures.big(60_000), new byte[] {8, 2, 0, 0, 0})));
        byte[] canvas = {0, 0, 0, 0, (byte) 0x5F, (byte) 0xEA, 0, (byte) 0x5F, (byte) 0xEA, 0};
        return Stream.of(
                jpeg,
                gif,
                bmp,
                png,
                Fixtures.riff(Fixtures.chunk("VP8X", canvas)),
                Fixtures.webp(16_384, 16_384, 1, 2, 3),
                Fixtures.tags(256, 60_000, 257, 60_000));
    }

    @ParameterizedTest
    @MethodSource("headersOfBombs")
    void a_header_of_huge_size_is_refused_before_anything_is_allocated(byte[] bomb) {
        assertThat(rejection(bomb)).isEqualTo(Rejection.TOO_MANY_PIXELS);
    }

    @Test
    void each_limit_refuses_on_its_own() {
        byte[] png = Fixtures.file(PICTURE, "png");
        assertThat(new ImageDecoder(new ImageLimits(1 << 20, 40, 27, 40 * 27)).decode(png))
                .isInstanceOf(Decoded.Picture.class);
        for (ImageLimits limits : new ImageLimits[] {
            new ImageLimits(png.length - 1, 40, 27, 2000),
            new ImageLimits(1 << 20, 39, 27, 2000),
            new ImageLimits(1 << 20, 40, 26, 2000),
            new ImageLimits(1 << 20, 40, 27, 40 * 27 - 1)
        }) {
            assertThat(new ImageDecoder(limits).decode(png)).isInstanceOf(Decoded.Rejected.class);
        }
        assertThatThrownBy(() -> new ImageLimits(1, 1, 0, 1)).hasMessageContaining("maxHeight");
    }

    @ParameterizedTest
    @MethodSource("wholeFiles")
    void a_file_cut_short_anywhere_is_rejected_and_never_half_grey(byte[] file) {
        assertThat(decoder.decode(file)).isInstanceOf(Decoded.Picture.class);
        // The last bytes of a GIF are the trailer, of a PNG the checksum of its empty end: nothing of the picture.
        for (int length = file.length - 14; length > 0; length -= 1 + file.length / 150) {
            Decoded decoded = decoder.decode(Arrays.copyOf(file, length));
            assertThat(decoded).as("first %d of %d bytes", length, file.length).isInstanceOf(Decoded.Rejected.class);
        }
        assertThat(rejection(Arrays.copyOf(file, file.length * 2 / 3))).isIn(Rejection.TRUNCATED, Rejection.CORRUPT);
    }

    @Test
    void what_is_not_an_image_has_its_reason() throws IOException {
        assertThat(rejection(new byte[0])).isEqualTo(Rejection.EMPTY);
        assertThat(rejection("BMW is not a bitmap, only text".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(Rejection.UNKNOWN_FORMAT);
        assertThat(rejection(new byte[] {7})).isEqualTo(Rejection.UNKNOWN_FORMAT);
        assertThat(rejection(folder.resolve("nowhere.png"))).isEqualTo(Rejection.MISSING);
        assertThat(rejection(folder)).isEqualTo(Rejection.NOT_A_FILE);
        Path circle = folder.resolve("circle.png");
        Files.createSymbolicLink(circle, circle);
        assertThat(rejection(circle)).isEqualTo(Rejection.BROKEN_LINK);
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling.png"), folder.resolve("nowhere.png"));
        assertThat(rejection(dangling)).isEqualTo(Rejection.BROKEN_LINK);
        Decoded.Rejected rejected = (Decoded.Rejected) decoder.decode(new byte[] {1, 2, 3});
        assertThat(rejected.sentence()).contains("not a JPEG").contains("01 02 03");
    }

    @Test
    void a_file_that_may_not_be_read_is_unreadable() throws IOException {
        Path secret = Files.write(folder.resolve("secret.png"), Fixtures.file(PICTURE, "png"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(secret))
                .as("the super-user reads everything")
                .isFalse();
        assertThat(rejection(secret)).isEqualTo(Rejection.UNREADABLE);
    }

    @Test
    void a_png_with_a_wrong_checksum_or_without_data_is_corrupt() {
        byte[] png = Fixtures.file(PICTURE, "png");
        byte[] flipped = png.clone();
        flipped[flipped.length / 2] ^= 1;
        assertThat(rejection(flipped)).isEqualTo(Rejection.CORRUPT);
        byte[] empty = Fixtures.join(Arrays.copyOf(png, 33), Fixtures.pngChunk("IEND", new byte[0]));
        assertThat(decoder.decode(empty)).isInstanceOf(Decoded.Rejected.class);
    }

    @Test
    void a_jpeg_whose_codes_make_no_sense_is_corrupt_and_one_cut_short_is_truncated() {
        byte[] jpeg = Fixtures.file(Fixtures.picture(200, 150, 1), "jpg");
        assertThat(rejection(Arrays.copyOf(jpeg, jpeg.length / 2))).isEqualTo(Rejection.TRUNCATED);
        byte[] early = Arrays.copyOf(jpeg, jpeg.length / 2);
        early[early.length - 2] = (byte) 0xFF;
        early[early.length - 1] = (byte) 0xD9;
        assertThat(rejection(early)).isEqualTo(Rejection.CORRUPT);
    }

    @Test
    void kinds_that_cannot_be_decoded_correctly_are_refused() {
        byte[] deepJpeg = Fixtures.file(PICTURE, "jpg");
        deepJpeg[indexOf(deepJpeg, 0xC0) + 3] = 12;
        assertThat(rejection(deepJpeg)).isEqualTo(Rejection.UNSUPPORTED);
        assertThat(rejection(Fixtures.tags(256, 4, 257, 4, 277, 9))).isEqualTo(Rejection.UNSUPPORTED);
        assertThat(rejection(Fixtures.tags(256, 4, 257, 4, 258, 32))).isEqualTo(Rejection.UNSUPPORTED);
        assertThat(rejection(Fixtures.tags(256, 4, 257, 4, 339, 3))).isEqualTo(Rejection.UNSUPPORTED);
        assertThat(rejection(Fixtures.tags(256, 4, 257, 4, 322, 1 << 20, 323, 1 << 20)))
                .isEqualTo(Rejection.UNSUPPORTED);
    }

    @Test
    void a_jpeg_with_more_scans_than_anyone_needs_is_refused() {
        byte[] jpeg = Fixtures.file(PICTURE, "jpg");
        byte[] scan = Arrays.copyOfRange(jpeg, indexOf(jpeg, 0xDA) - 1, jpeg.length - 2);
        byte[] many = Arrays.copyOf(jpeg, jpeg.length - 2);
        for (int i = 0; i < 100; i++) {
            many = Fixtures.join(many, scan);
        }
        assertThat(rejection(many)).isEqualTo(Rejection.UNSUPPORTED);
    }
}
