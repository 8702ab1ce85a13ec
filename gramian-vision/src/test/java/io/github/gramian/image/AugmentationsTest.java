package io.github.gramian.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.image.Augmentations.ColourJitter;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("ReferenceEquality") // whether an image was left as it is
class AugmentationsTest {

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

    private static final RgbImage PICTURE = Fixtures.picture(30, 20, 4);

    @TempDir
    Path folder;

    @Test
    void no_strength_changes_nothing() {
        assertThat(new ColourJitter(0, 0, 0, 0).apply(PICTURE, new Seed(1))).isEqualTo(PICTURE);
    }

    @Test
    void a_third_of_a_turn_makes_red_green_and_a_whole_turn_changes_nothing() {
        byte[] red = {(byte) 200, 50, 50};
        ColourJitter.turnHue(red, 1 / 3.0);
        assertThat(red).containsExactly(50, 200, 50);
        byte[] all = PICTURE.pixels().clone();
        ColourJitter.turnHue(all, 1);
        assertThat(all).isEqualTo(PICTURE.pixels());
    }

    @Test
    void a_jitter_changes_the_picture_but_not_the_one_it_was_given() {
        RgbImage before = Fixtures.picture(30, 20, 4);
        RgbImage jittered = new ColourJitter(0.5, 0.5, 0.5, 0.3).apply(before, new Seed(3));
        assertThat(before).isEqualTo(PICTURE);
        assertThat(jittered).isNotEqualTo(PICTURE);
    }

    @Test
    @Needs(Tool.PILLOW)
    void brightness_contrast_and_saturation_are_pillows() throws IOException {
        Files.write(folder.resolve("picture.png"), Fixtures.file(PICTURE, "png"));
        Pillow.run("""
                import sys
                from PIL import Image, ImageEnhance
                image = Image.open(sys.argv[1] + '/picture.png').convert('RGB')
                for name in ('Brightness', 'Contrast', 'Color'):
                    for factor in (0.3, 1.7):
                        changed = getattr(ImageEnhance, name)(image).enhance(factor)
                        open('%s/%s%s' % (sys.argv[1], name, factor), 'wb').write(changed.tobytes())
                """, folder.toString());
        for (String factor : new String[] {"0.3", "1.7"}) {
            float f = Float.parseFloat(factor);
            byte[] bright = PICTURE.pixels().clone();
            ColourJitter.blendWith(bright, f, 0);
            assertThat(bright).isEqualTo(Files.readAllBytes(folder.resolve("Brightness" + factor)));
            byte[] contrast = PICTURE.pixels().clone();
            ColourJitter.blendWith(contrast, f, ColourJitter.meanGrey(contrast));
            assertThat(contrast).isEqualTo(Files.readAllBytes(folder.resolve("Contrast" + factor)));
            byte[] saturated = PICTURE.pixels().clone();
            ColourJitter.blendWithOwnGrey(saturated, f);
            assertThat(saturated).isEqualTo(Files.readAllBytes(folder.resolve("Color" + factor)));
        }
    }
}
