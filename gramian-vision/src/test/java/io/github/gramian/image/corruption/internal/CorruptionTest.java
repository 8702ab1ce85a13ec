package io.github.gramian.image.corruption.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorruptionTest {

    private static final Seed SEED = new Seed(1);
    private static final RgbImage PICTURE = picture(224, 224, 3);
    private static final RgbImage SECOND = picture(224, 224, 4);

    /** Discs of random colours and sizes on stripes: edges, flat areas and fine structure. */
    static RgbImage picture(int width, int height, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] rgb = new byte[3 * width * height];
        for (int i = 0; i < rgb.length; i++) {
            int x = i / 3 % width;
            rgb[i] = (byte) (120 + 40 * Math.sin(x * (0.2 + 0.2 * (i % 3))) + random.nextInt(10));
        }
        for (int disc = 0; disc < 30; disc++) {
            int middleX = random.nextInt(width);
            int middleY = random.nextInt(height);
            int radius = 3 + random.nextInt(Math.max(1, width / 8));
            int[] colour = {random.nextInt(256), random.nextInt(256), random.nextInt(256)};
            for (int i = 0; i < rgb.length; i++) {
                int dx = i / 3 % width - middleX;
                int dy = i / 3 / width - middleY;
                if (dx * dx + dy * dy < radius * radius) {
                    rgb[i] = (byte) colour[i % 3];
                }
            }
        }
        return new RgbImage(width, height, rgb);
    }

    static double difference(RgbImage first, RgbImage second) {
        double sum = 0;
        for (int i = 0; i < first.pixels().length; i++) {
            sum += Math.abs((first.pixels()[i] & 0xFF) - (second.pixels()[i] & 0xFF));
        }
        return sum / first.pixels().length;
    }

    @ParameterizedTest
    @EnumSource
    void a_corruption_changes_the_image_and_keeps_its_size_and_the_original(CorruptionType type) {
        RgbImage original = picture(224, 224, 3);
        for (int severity = 1; severity <= 5; severity++) {
            RgbImage corrupted = new Corruption(type, severity).apply(original, SEED);
            assertThat(corrupted.width()).isEqualTo(224);
            assertThat(corrupted.height()).isEqualTo(224);
            assertThat(difference(original, corrupted)).isGreaterThan(1);
        }
        assertThat(original).isEqualTo(PICTURE);
    }

    @ParameterizedTest
    @EnumSource
    void the_same_pixels_and_seed_give_the_same_corrupted_image(CorruptionType type) {
        Corruption corruption = new Corruption(type, 3);
        RgbImage first = corruption.apply(PICTURE, SEED);
        assertThat(corruption.apply(picture(224, 224, 3), SEED)).isEqualTo(first);
        boolean sameForAnotherSeed = corruption.apply(PICTURE, new Seed(2)).equals(first);
        assertThat(sameForAnotherSeed).isEqualTo(!type.isRandom());
    }

    @Test
    void images_with_other_pixels_get_other_noise() {
        byte[] pixels = PICTURE.pixels().clone();
        pixels[0] ^= 1;
        Corruption noise = new Corruption(CorruptionType.GAUSSIAN_NOISE, 1);
        RgbImage corrupted = noise.apply(new RgbImage(224, 224, pixels), SEED);
        assertThat(difference(corrupted, noise.apply(PICTURE, SEED))).isGreaterThan(5);
    }

    /** Structural similarity (SSIM) in blocks of 8×8, mean over blocks and colours; 1 for equal images. */
    private static double similarity(RgbImage first, RgbImage second) {
        double sum = 0;
        int blocks = 0;
        for (int top = 0; top + 8 <= first.height(); top += 8) {
            for (int left = 0; left + 8 <= first.width(); left += 8) {
                for (int c = 0; c < 3; c++) {
                    sum += blockSimilarity(first, second, left, top, c);
                    blocks++;
                }
            }
        }
        return sum / blocks;
    }

    private static double blockSimilarity(RgbImage first, RgbImage second, int left, int top, int channel) {
        double a = 0;
        double b = 0;
        double aa = 0;
        double bb = 0;
        double ab = 0;
        for (int i = 0; i < 64; i++) {
            double p = first.sample(left + i % 8, top + i / 8, channel);
            double q = second.sample(left + i % 8, top + i / 8, channel);
            a += p / 64;
            b += q / 64;
            aa += p * p / 64;
            bb += q * q / 64;
            ab += p * q / 64;
        }
        double c1 = 6.5025;
        double c2 = 58.5225;
        return (2 * a * b + c1) * (2 * (ab - a * b) + c2) / ((a * a + b * b + c1) * (aa - a * a + bb - b * b + c2));
    }

    /**
     * Severities after which the next one may differ less: there the published parameters change in kind, or (elastic) the
     * random affine part outweighs the rest.
     */
    private static Set<Integer> steps(CorruptionType type) {
        return switch (type) {
            case GLASS_BLUR -> Set.of(3);
            case SNOW -> Set.of(2);
            case ELASTIC_TRANSFORM -> Set.of(2, 3);
            default -> Set.of();
        };
    }

    private static boolean grows(double[] values, CorruptionType type) {
        return IntStream.range(1, values.length)
                .allMatch(severity -> steps(type).contains(severity) || values[severity - 1] < values[severity]);
    }

    @ParameterizedTest
    @EnumSource
    void a_higher_severity_differs_more_or_is_less_similar(CorruptionType type) {
        double[] differences = bySeverity(type, CorruptionTest::difference);
        if (!grows(differences, type)) {
            double[] dissimilarities = bySeverity(type, (image, corrupted) -> 1 - similarity(image, corrupted));
            assertThat(grows(dissimilarities, type))
                    .as(Arrays.toString(differences) + " and " + Arrays.toString(dissimilarities))
                    .isTrue();
        }
    }

    private static double[] bySeverity(CorruptionType type, ToDoubleBiFunction<RgbImage, RgbImage> measure) {
        double[] values = new double[5];
        for (int severity = 1; severity <= 5; severity++) {
            for (RgbImage image : List.of(PICTURE, SECOND)) {
                values[severity - 1] += measure.applyAsDouble(image, new Corruption(type, severity).apply(image, SEED));
            }
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "7, 5", "33, 64", "300, 20"})
    void images_of_any_size_are_corrupted(int width, int height) {
        RgbImage image = picture(width, height, 1);
        for (CorruptionType type : CorruptionType.values()) {
            RgbImage corrupted = new Corruption(type, 5).apply(image, SEED);
            assertThat(corrupted.width()).isEqualTo(width);
            assertThat(corrupted.height()).isEqualTo(height);
        }
    }

    @Test
    void a_quarter_turn_is_exact() {
        RgbImage turned = new Corruption(CorruptionType.ROTATION, 5).apply(PICTURE, SEED);
        for (int i = 0; i < 224; i++) {
            assertThat(turned.sample(i, 10, 1)).isEqualTo(PICTURE.sample(223 - 10, i, 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 6, -1})
    void a_severity_outside_of_its_range_is_refused(int severity) {
        assertThatThrownBy(() -> new Corruption(CorruptionType.FOG, severity))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the severity of a corruption must lie in 1..5 but is " + severity);
    }

    @Test
    void corruptions_are_listed_by_name() {
        assertThat(CorruptionType.list(List.of("standard"))).hasSize(15);
        assertThat(CorruptionType.list(List.of("all"))).hasSize(18);
        assertThat(CorruptionType.list(List.of("fog", "snow", "fog")))
                .containsExactly(CorruptionType.FOG, CorruptionType.SNOW);
        assertThat(CorruptionType.list(List.of("standard", "rotation")))
                .hasSize(16)
                .endsWith(CorruptionType.ROTATION);
        assertThat(new Corruption(CorruptionType.JPEG_COMPRESSION, 2).key()).isEqualTo("jpeg_compression:2");
    }

    @Test
    void an_unknown_name_is_answered_with_the_known_ones() {
        assertThatThrownBy(() -> CorruptionType.list(List.of("frost")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("unknown corruption 'frost'; known: standard, all, gaussian_noise, ")
                .hasMessageContaining("ice")
                .hasMessageEndingWith("scale_down");
        assertThatThrownBy(() -> CorruptionType.list(List.of()))
                .hasMessage("name at least one corruption, such as standard or fog");
    }
}
