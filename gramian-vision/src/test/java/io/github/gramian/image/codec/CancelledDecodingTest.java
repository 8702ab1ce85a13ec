package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decoders that stop when nobody wants the image any more, and what is known of their work before. */
class CancelledDecodingTest extends DecoderFixture {

    private static final RgbImage LARGE = Fixtures.picture(400, 300, 1);

    static Stream<byte[]> filesOfStoppableDecoders() throws IOException {
        return Stream.of(
                Fixtures.file(LARGE, "png"),
                Fixtures.progressive(LARGE, "png"),
                Fixtures.file(Fixtures.asAwt(LARGE, BufferedImage.TYPE_BYTE_BINARY), "png"),
                Fixtures.file(LARGE, "bmp"),
                Fixtures.file(LARGE, "tiff"));
    }

    @ParameterizedTest
    @MethodSource("filesOfStoppableDecoders")
    void a_cancelled_decoder_stops_at_its_next_row(byte[] file) {
        int whole = checksUntilTheEnd(file);
        assertThat(whole).as("checks of a whole image").isGreaterThan(LARGE.height() / 2);
        for (int after : new int[] {1, whole / 3, 2 * whole / 3}) {
            AtomicInteger checks = new AtomicInteger();
            Decoded decoded =
                    decoder.cancelledBy(() -> checks.incrementAndGet() > after).decode(file);
            assertThat(decoded).isEqualTo(new Decoded.Rejected(Rejection.CANCELLED, ""));
            assertThat(checks.get() - after).as("checks after that").isBetween(1, 20);
        }
    }

    private int checksUntilTheEnd(byte[] file) {
        AtomicInteger checks = new AtomicInteger();
        Decoded decoded =
                decoder.cancelledBy(() -> checks.incrementAndGet() < 0).decode(file);
        assertThat(decoded).isEqualTo(decoder.decode(file));
        return checks.get();
    }

    @ParameterizedTest
    @MethodSource("wholeFiles")
    void a_decoder_that_is_cancelled_before_does_not_start(byte[] file) {
        assertThat(decoder.cancelledBy(() -> true).decode(file))
                .isEqualTo(new Decoded.Rejected(Rejection.CANCELLED, ""));
        assertThat(Rejection.CANCELLED.isOfContent()).isFalse();
    }

    @Test
    void the_work_of_an_image_grows_with_its_pixels_and_scans() throws IOException {
        byte[] baseline = Fixtures.file(LARGE, "jpg");
        byte[] progressive = Fixtures.progressive(LARGE, "jpg");
        assertThat(decoder.work(baseline)).isEqualTo(400 * 300);
        assertThat(decoder.work(progressive)).isEqualTo(400L * 300 * scans(progressive));
        assertThat(scans(progressive)).isGreaterThan(5);
        assertThat(decoder.work(Fixtures.file(LARGE, "png"))).isEqualTo(400 * 300 * 12);
        assertThat(decoder.work(Fixtures.progressive(LARGE, "png"))).isGreaterThan(400 * 300 * 12);
        assertThat(decoder.work(Fixtures.file(new BufferedImage(40, 30, BufferedImage.TYPE_USHORT_GRAY), "png")))
                .isEqualTo(40 * 30 * 48);
    }

    private static int scans(byte[] jpeg) {
        int scans = 0;
        for (int i = 0; i + 1 < jpeg.length; i++) {
            scans += jpeg[i] == (byte) 0xFF && jpeg[i + 1] == (byte) 0xDA ? 1 : 0;
        }
        return scans;
    }

    @Test
    void jpeg_that_libjpeg_turbo_does_not_decode_costs_more() {
        byte[] jpeg = Fixtures.file(LARGE, "jpg");
        byte[] withoutEnd = Arrays.copyOf(jpeg, jpeg.length - 2);
        assertThat(decoder.work(withoutEnd)).isGreaterThan(decoder.work(jpeg));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void scans_of_progressive_jpeg_inside_a_tiff_count(int scans) {
        byte[] tags = Fixtures.tags(256, 400, 257, 300, 258, 8, 259, 7, 277, 1);
        byte[] data = {(byte) 0xFF, (byte) 0xC2, 0, 0};
        byte[] tiff = Fixtures.join(tags, data);
        for (int i = 0; i < scans; i++) {
            tiff = Fixtures.join(tiff, new byte[] {(byte) 0xFF, (byte) 0xDA, 0});
        }
        assertThat(decoder.work(tiff)).isEqualTo(400L * 300 * (12 + scans));
    }

    @Test
    void files_that_are_refused_by_their_header_cost_nothing() {
        ImageDecoder narrow = new ImageDecoder(new ImageLimits(1 << 20, 100, 100, 1 << 20));
        assertThat(narrow.work(Fixtures.file(LARGE, "png"))).isZero();
        assertThat(decoder.work(new byte[] {1, 2, 3})).isZero();
        assertThat(decoder.work(new byte[0])).isZero();
        assertThat(decoder.work(Arrays.copyOf(Fixtures.file(LARGE, "png"), 20))).isZero();
    }
}
