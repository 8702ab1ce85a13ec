package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.gramian.check.ResidentMemory;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.internal.Resampler;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
}
