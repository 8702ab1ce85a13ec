package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that give no image, and the reasons. */
class ImageRejectionTest extends DecoderFixture {

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
