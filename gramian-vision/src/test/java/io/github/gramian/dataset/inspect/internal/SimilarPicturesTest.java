package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.inspect.internal.PerceptualHash.HammingIndex;
import io.github.gramian.image.codec.RgbImage;
import java.awt.image.BufferedImage;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimilarPicturesTest {

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

    private static long flipped(long hash, int bits, SplittableRandom random) {
        long changed = hash;
        while (Long.bitCount(hash ^ changed) < bits) {
            changed ^= 1L << random.nextInt(64);
        }
        return changed;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_index_finds_what_comparing_all_finds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long query = random.nextLong();
        long[] hashes = LongStream.range(0, 3000)
                .map(i -> i % 3 == 0 ? random.nextLong() : flipped(query, random.nextInt(20), random))
                .toArray();
        List<HammingIndex.Neighbour> expected = IntStream.range(0, hashes.length)
                .mapToObj(i -> new HammingIndex.Neighbour(i, Long.bitCount(query ^ hashes[i])))
                .filter(near -> near.distance() <= HammingIndex.RADIUS)
                .toList();
        assertThat(new HammingIndex(hashes).near(query, Integer.MAX_VALUE))
                .containsExactlyInAnyOrderElementsOf(expected)
                .isSortedAccordingTo((one, other) -> one.distance() - other.distance());
    }

    @Test
    void the_nearest_come_first_and_no_more_than_asked_for() {
        SplittableRandom random = new SplittableRandom(5);
        long[] hashes = {flipped(0, 9, random), flipped(0, 3, random), 0, flipped(0, 12, random), 0};
        assertThat(new HammingIndex(hashes).near(0, 3))
                .containsExactly(
                        new HammingIndex.Neighbour(2, 0),
                        new HammingIndex.Neighbour(4, 0),
                        new HammingIndex.Neighbour(1, 3));
    }

    @Test
    void a_crowd_of_equal_hashes_does_not_slow_the_search() {
        long[] crowd = new long[200_000];
        Arrays.fill(crowd, 42);
        HammingIndex index = new HammingIndex(crowd);
        // Comparing all with all would take 40,000,000,000 comparisons.
        for (int i = 0; i < 20_000; i++) {
            assertThat(index.near(42 ^ (i & 3), 2)).hasSize(2);
        }
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
