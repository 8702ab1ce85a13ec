package io.github.gramian.image.codec;

import static io.github.gramian.image.codec.HeifFixtures.box;
import static io.github.gramian.image.codec.HeifFixtures.boxes;
import static io.github.gramian.image.codec.HeifFixtures.ftyp;
import static io.github.gramian.image.codec.HeifFixtures.ispe;
import static io.github.gramian.image.codec.HeifFixtures.meta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.HeifCodec.Boxes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeifBoxesTest {

    private static Refusal refusal(byte[] file) {
        try {
            Boxes.largest(file);
        } catch (Refusal e) {
            return e;
        }
        throw new AssertionError("the file was accepted");
    }

    private static Rejection reason(byte[] file) {
        return refusal(file).asValue().reason();
    }

    @ParameterizedTest
    @ValueSource(strings = {"heic", "heix", "hevc", "mif1", "msf1", "avif", "avis"})
    void heic_and_avif_are_recognised_by_their_brands(String brand) {
        assertThat(ImageFormat.of(ftyp(brand))).contains(ImageFormat.HEIF);
        assertThat(ImageFormat.of(ftyp("isom", "iso2", brand))).contains(ImageFormat.HEIF);
    }

    @Test
    void other_files_of_boxes_are_not_taken_for_heic() {
        assertThat(ImageFormat.of(ftyp("isom", "iso2", "avc1", "mp41"))).isEmpty();
        assertThat(ImageFormat.of(ftyp("jxl "))).isEmpty();
        assertThat(ImageFormat.of("0000ftyp".getBytes(StandardCharsets.US_ASCII)))
                .isEmpty();
        assertThat(ImageFormat.of(box("ftyp"))).isEmpty();
        byte[] claimsMore = ftyp("isom");
        claimsMore[0] = 0x7F;
        assertThat(ImageFormat.of(claimsMore)).isEmpty();
        claimsMore[0] = (byte) 0xFF;
        assertThat(ImageFormat.of(claimsMore)).isEmpty();
    }

    @Test
    void the_size_is_that_of_the_largest_image() throws Refusal {
        assertThat(Boxes.largest(boxes(ispe(512, 512), box("hvcC"), ispe(4032, 3024), ispe(320, 240))))
                .isEqualTo(new Codec.Size(4032, 3024));
        assertThat(Boxes.largest(boxes(ispe(-1, -1)))).isEqualTo(new Codec.Size(0xFFFFFFFFL, 0xFFFFFFFFL));
    }

    @Test
    void sizes_of_64_bits_and_of_the_rest_of_the_file_are_read() throws Refusal {
        byte[] content = Fixtures.join(Fixtures.big(0), box("iprp", box("ipco", ispe(8, 6))));
        byte[] name = "meta".getBytes(StandardCharsets.US_ASCII);
        byte[] large = Fixtures.join(
                ftyp("heic"), Fixtures.big(1), name, Fixtures.big(0), Fixtures.big(16 + content.length), content);
        assertThat(Boxes.largest(large)).isEqualTo(new Codec.Size(8, 6));
        byte[] toTheEnd = Fixtures.join(ftyp("heic"), Fixtures.big(0), name, content);
        assertThat(Boxes.largest(toTheEnd)).isEqualTo(new Codec.Size(8, 6));
    }

    @Test
    void a_file_without_a_still_image_is_unsupported() {
        assertThat(reason(Fixtures.join(ftyp("msf1"), box("moov")))).isEqualTo(Rejection.UNSUPPORTED);
        assertThat(reason(Fixtures.join(ftyp("heic"), meta(box("hvcC"))))).isEqualTo(Rejection.UNSUPPORTED);
        assertThat(reason(boxes(ispe(0, 0)))).isEqualTo(Rejection.UNSUPPORTED);
    }

    @Test
    void every_truncated_file_is_refused() {
        byte[] file = Fixtures.join(ftyp("heic", "mif1"), meta(ispe(40, 30)));
        for (int length = 0; length < file.length; length++) {
            byte[] start = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> Boxes.largest(start)).isInstanceOf(Refusal.class);
        }
    }

    @Test
    void boxes_that_are_larger_or_smaller_than_possible_are_refused() {
        byte[] name = "meta".getBytes(StandardCharsets.US_ASCII);
        byte[] start = ftyp("heic");
        for (int size : new int[] {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 9}) {
            assertThat(reason(Fixtures.join(start, Fixtures.big(size), name))).isEqualTo(Rejection.TRUNCATED);
        }
        for (int size : new int[] {2, 7}) {
            assertThat(reason(Fixtures.join(start, Fixtures.big(size), name))).isEqualTo(Rejection.CORRUPT);
        }
        byte[] wide = Fixtures.join(start, Fixtures.big(1), name, Fixtures.big(1), Fixtures.big(0));
        assertThat(reason(wide)).isEqualTo(Rejection.TRUNCATED);
        assertThat(reason(boxes(box("ispe", Fixtures.big(0))))).isEqualTo(Rejection.CORRUPT);
        assertThat(reason(boxes(box("ispe")))).isEqualTo(Rejection.TRUNCATED);
    }

    @Test
    void deep_nesting_and_many_boxes_end() {
        byte[] nested = ispe(4, 4);
        for (int depth = 0; depth < 2000; depth++) {
            nested = box("iprp", nested);
        }
        assertThat(reason(Fixtures.join(ftyp("heic"), box("meta", Fixtures.big(0), nested))))
                .isEqualTo(Rejection.UNSUPPORTED);
        byte[] many = new byte[8 * 70_000];
        for (int at = 0; at < many.length; at += 8) {
            many[at + 3] = 8;
        }
        assertThat(refusal(Fixtures.join(ftyp("heic"), many))).hasMessageContaining("more than 65536 boxes");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void mutated_boxes_give_a_size_or_a_refusal(long seed) {
        byte[] file = boxes(ispe(512, 512), box("hvcC"), ispe(40, 30));
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 5_000; round++) {
            byte[] mutated = file.clone();
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(Boxes.largest(mutated).width()).isPositive();
            } catch (Refusal e) {
                assertThat(e.asValue().reason().isOfContent()).isTrue();
            }
        }
    }
}
