package io.github.gramian.image.codec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageFormat;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.RgbImage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DistinctReductionsTest {

    private final List<Integer> decoded = new ArrayList<>();

    /** A decoder of an image of 80×60 pixels. */
    private Decoded reducing(Reduction reduction) {
        int by = reduction.of(80, 60);
        decoded.add(by);
        return new Decoded.Picture(RgbImage.black(80 / by, 60 / by), ImageFormat.JPEG);
    }

    private static int width(Decoded image) {
        return ((Decoded.Picture) image).image().width();
    }

    @Test
    void equal_reductions_share_one_image() {
        List<Decoded> images = DistinctReductions.decode(
                List.of((w, h) -> 2, (w, h) -> 4, (w, h) -> w / 40, (w, h) -> 4), this::reducing);
        assertThat(decoded).containsExactly(2, 4);
        assertThat(images).extracting(DistinctReductionsTest::width).containsExactly(40, 20, 40, 20);
        assertThat(images.get(2)).isSameAs(images.get(0));
    }

    @Test
    void a_format_without_reduction_is_decoded_once() {
        List<Decoded> images = DistinctReductions.decode(List.of((w, h) -> 2, (w, h) -> 4), reduction -> {
            decoded.add(1);
            return new Decoded.Picture(RgbImage.black(80, 60), ImageFormat.PNG);
        });
        assertThat(decoded).hasSize(1);
        assertThat(images).extracting(DistinctReductionsTest::width).containsExactly(80, 80);
    }

    @Test
    void an_image_that_is_rejected_for_one_scale_is_rejected_for_all() {
        Decoded rejected = new Decoded.Rejected(Rejection.OUT_OF_MEMORY, "");
        List<Decoded> images = DistinctReductions.decode(List.of((w, h) -> 2, (w, h) -> 1), reduction -> {
            Decoded image = reducing(reduction);
            return decoded.size() == 2 ? rejected : image;
        });
        assertThat(images).containsExactly(rejected, rejected);
    }
}
