package io.github.gramian.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

@SuppressWarnings("ReferenceEquality") // whether an image was left as it is
class RandomErasingTest {

    private static final int WIDTH = 60;
    private static final int HEIGHT = 40;
    private static final RgbImage VIEW = RgbImage.black(WIDTH, HEIGHT);

    /** The smallest rectangle around all pixels that are not black: x, y, width, height; noise is black once in 2²⁴ pixels. */
    private static int[] changed(RgbImage image) {
        int left = WIDTH;
        int top = HEIGHT;
        int right = -1;
        int bottom = -1;
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                if (image.sample(x, y, 0) + image.sample(x, y, 1) + image.sample(x, y, 2) > 0) {
                    left = Math.min(left, x);
                    top = Math.min(top, y);
                    right = Math.max(right, x);
                    bottom = Math.max(bottom, y);
                }
            }
        }
        return new int[] {left, top, right - left + 1, bottom - top + 1};
    }

    @Test
    void a_rectangle_of_two_to_thirty_three_percent_becomes_noise_anywhere_and_nothing_else_changes() {
        Augmentation erasing = Augmentation.randomErasing(1);
        boolean[] corner = new boolean[4];
        double noise = 0;
        double pixels = 0;
        for (int i = 0; i < 400; i++) {
            RgbImage erased = erasing.apply(VIEW, new Seed(i));
            int[] part = changed(erased);
            double share = (double) part[2] * part[3] / (WIDTH * HEIGHT);
            assertThat(share).isBetween(0.02 * 0.85, 0.33 * 1.05); // whole pixels
            assertThat((double) part[3] / part[2]).isBetween(1 / 3.3 * 0.85, 3.3 * 1.2);
            corner[(part[0] + part[2] / 2 < WIDTH / 2 ? 0 : 1) + (part[1] + part[3] / 2 < HEIGHT / 2 ? 0 : 2)] = true;
            for (byte sample : erased.pixels()) {
                noise += sample & 0xFF;
            }
            pixels += part[2] * part[3];
        }
        assertThat(corner).containsOnly(true);
        assertThat(noise / (3 * pixels)).isCloseTo(127.5, within(0.5));
        assertThat(VIEW.pixels()).as("the view itself").containsOnly((byte) 0);
    }

    @Test
    void the_probability_is_the_frequency_and_a_seed_gives_the_same_rectangle() {
        Augmentation erasing = Augmentation.randomErasing(0.25);
        int erased = 0;
        for (int i = 0; i < 1000; i++) {
            RgbImage once = erasing.apply(VIEW, new Seed(i));
            erased += Arrays.equals(once.pixels(), VIEW.pixels()) ? 0 : 1;
            assertThat(erasing.apply(VIEW, new Seed(i)).pixels()).isEqualTo(once.pixels());
        }
        assertThat(erased).isBetween(200, 300);
        assertThat(Augmentation.randomErasing(0).apply(VIEW, new Seed(1))).isSameAs(VIEW);
        assertThat(erasing.key()).isEqualTo("erase:0.25");
        assertThatThrownBy(() -> Augmentation.randomErasing(1.5)).hasMessageContaining("0..1");
    }
}
