package io.github.gramian.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ColourJitterTest {

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
