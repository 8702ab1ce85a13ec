package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.image.codec.RgbImage;
import java.awt.image.BufferedImage;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PerceptualHashTest {

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

    private static int distance(BufferedImage one, BufferedImage other) {
        return Long.bitCount(PerceptualHash.of(rgb(one)).orElseThrow()
                ^ PerceptualHash.of(rgb(other)).orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void a_resized_and_darkened_copy_keeps_its_hash_and_another_picture_has_another(long seed) {
        BufferedImage scene = Pictures.scene(seed, 320, 240);
        assertThat(distance(scene, Pictures.retouched(scene, 200, 170))).isLessThanOrEqualTo(4);
        assertThat(distance(scene, Pictures.scene(seed + 100, 320, 240))).isGreaterThan(HammingIndex.RADIUS);
    }

    @Test
    void a_blank_image_has_no_hash() {
        assertThat(PerceptualHash.of(rgb(Pictures.blank(200)))).isEmpty();
    }

    @Test
    void thumbnails_average_large_images_and_repeat_the_pixels_of_small_ones() {
        GreyThumbnail grown = GreyThumbnail.of(new RgbImage(1, 2, new byte[] {0, 0, 0, 100, 100, 100}), 2);
        assertThat(new float[] {grown.level(0), grown.level(1), grown.level(2), grown.level(3)})
                .containsExactly(new float[] {0, 0, 100, 100}, Assertions.within(1e-3f));
        GreyThumbnail shrunk = GreyThumbnail.of(new RgbImage(2, 1, new byte[] {10, 10, 10, 30, 30, 30}), 1);
        assertThat(shrunk.level(0)).isCloseTo(20, Assertions.within(1e-3f));
        assertThat(grown.deviation()).isCloseTo(50, Assertions.within(1e-3));
    }

    @Test
    void correlation_is_blind_to_brightness_and_contrast_and_zero_for_blank_images() {
        BufferedImage scene = Pictures.scene(3, 100, 100);
        GreyThumbnail one = GreyThumbnail.of(rgb(scene), 16);
        assertThat(one.correlation(GreyThumbnail.of(rgb(Pictures.retouched(scene, 100, 100)), 16)))
                .isGreaterThan(0.999);
        assertThat(one.correlation(GreyThumbnail.of(rgb(Pictures.blank(9)), 16)))
                .isZero();
    }
}
