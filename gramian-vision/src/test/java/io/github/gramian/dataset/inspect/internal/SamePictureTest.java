package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.image.codec.RgbImage;
import java.awt.image.BufferedImage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamePictureTest {

    private static RgbImage rgb(BufferedImage image) {
        byte[] pixels = new byte[3 * image.getWidth() * image.getHeight()];
        for (int i = 0; i < image.getWidth() * image.getHeight(); i++) {
            int colour = image.getRGB(i % image.getWidth(), i / image.getWidth());
            pixels[3 * i] = (byte) (colour >> 16);
            pixels[3 * i + 1] = (byte) (colour >> 8);
            pixels[3 * i + 2] = (byte) colour;
        }
        return new RgbImage(image.getWidth(), image.getHeight(), pixels);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void a_part_of_a_picture_and_a_resized_copy_show_the_same_and_another_picture_does_not(long seed) {
        BufferedImage scene = Pictures.scene(seed, 320, 240);
        SamePicture whole = SamePicture.of(rgb(scene));
        SamePicture part = SamePicture.of(rgb(scene).cut(new RgbImage.Window(30, 20, 260, 190, false)));
        SamePicture small = SamePicture.of(rgb(Pictures.retouched(scene, 150, 120)));
        assertThat(whole.correlation(part)).isGreaterThan(SamePicture.MIN_CORRELATION);
        assertThat(part.correlation(whole)).isEqualTo(whole.correlation(part));
        assertThat(whole.correlation(small)).isGreaterThan(SamePicture.MIN_CORRELATION);
        SamePicture other = SamePicture.of(rgb(Pictures.scene(seed + 100, 320, 240)));
        assertThat(whole.correlation(other)).isLessThan(SamePicture.MIN_CORRELATION);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    void blank_pictures_show_nothing_in_common(int side) {
        SamePicture blank = SamePicture.of(rgb(Pictures.blank(side)));
        assertThat(blank.correlation(SamePicture.of(rgb(Pictures.blank(2 * side)))))
                .isZero();
    }
}
