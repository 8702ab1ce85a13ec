package io.github.gramian.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BenchDefectsTest {

    private static final int SIDE = 96;

    @TempDir
    private Path folder;

    private Flaws flaws() throws IOException {
        BufferedImage texture = new BufferedImage(40, 50, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 40 * 50; i++) {
            texture.setRGB(i % 40, i / 40, 0x10203 * (i % 7));
        }
        Path file = folder.resolve("texture.png");
        ImageIO.write(texture, "png", file.toFile());
        return new Flaws(List.of(file));
    }

    private static RgbImage surface() {
        byte[] pixels = new byte[3 * SIDE * SIDE];
        new Random(1).nextBytes(pixels);
        return new RgbImage(SIDE, SIDE, pixels);
    }

    @ParameterizedTest
    @EnumSource
    void a_flaw_changes_what_its_mask_marks_and_repeats_with_its_seed(Flaws.Kind kind) throws IOException {
        Flaws flaws = flaws();
        RgbImage surface = surface();
        Flaws.Flawed first = flaws.add(kind, surface, new Seed(5));
        assertThat(flaws.add(kind, surface, new Seed(5)).image()).isEqualTo(first.image());
        assertThat(flaws.add(kind, surface, new Seed(6)).image()).isNotEqualTo(first.image());
        int marked = 0;
        int changed = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            boolean differs = !sameColour(surface, first.image(), i);
            marked += first.mask()[i] ? 1 : 0;
            changed += first.mask()[i] && differs ? 1 : 0;
            // A stain has a soft edge; all other flaws end with their mask.
            assertThat(differs && !first.mask()[i] && kind != Flaws.Kind.STAIN).isFalse();
        }
        assertThat(marked).isBetween(20, SIDE * SIDE / 15);
        assertThat((double) changed / marked).isGreaterThan(0.9);
    }

    private static boolean sameColour(RgbImage one, RgbImage other, int pixel) {
        return IntStream.range(3 * pixel, 3 * pixel + 3).allMatch(i -> one.pixels()[i] == other.pixels()[i]);
    }

    @Test
    void areas_are_those_of_the_definitions() {
        assertThat(DefectRivals.auroc(new float[] {3, 4}, new float[] {1, 2})).isEqualTo(1);
        assertThat(DefectRivals.auroc(new float[] {1, 2}, new float[] {1, 2})).isEqualTo(0.5);
        assertThat(DefectRivals.auroc(new float[] {2, 5}, new float[] {1, 2, 3, 4}))
                .isCloseTo(5.5 / 8, within(1e-12));
        float[] good = new float[1000];
        for (int i = 0; i < good.length; i++) {
            good[i] = i;
        }
        assertThat(DefectRivals.aupro(List.of(new float[] {2000, 3000}), good)).isCloseTo(1, within(1e-9));
        assertThat(DefectRivals.aupro(List.of(new float[] {1}), good)).isZero();
        // Half of one flaw is found at once and nothing of the other, whose pixels count as much whatever its size.
        assertThat(DefectRivals.aupro(List.of(new float[] {2000, 0, 0, 2000}, new float[] {0}), good))
                .isCloseTo(0.25, within(0.01));
    }
}
