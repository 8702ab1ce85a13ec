package io.github.gramian.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.internal.Window;
import io.github.gramian.image.internal.ChannelOrder;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.tensor.Seed;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreprocessingTest {

    private static final RgbImage PICTURE = Fixtures.picture(50, 30, 3);

    @Test
    void the_short_side_is_met_and_the_long_one_follows_rounded_down() {
        RgbImage wide = new Resize.ShortSide(20).apply(PICTURE, new Resampler(Interpolation.BILINEAR));
        assertThat(wide.width()).isEqualTo(33);
        assertThat(wide.height()).isEqualTo(20);
        assertThat(new Resize.ShortSide(20).heightOf(30, 50)).isEqualTo(33);
        assertThat(new Resize.ShortSide(256).widthOf(30_000, 1)).isEqualTo(65_536);
        RgbImage exact = new Resize.Exact(7, 9).apply(PICTURE, new Resampler(Interpolation.BICUBIC));
        assertThat(exact.width()).isEqualTo(7);
        assertThat(exact.height()).isEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource(Interpolation.class)
    void resizing_keeps_a_flat_image_flat_and_to_the_same_size_keeps_every_pixel(Interpolation interpolation) {
        Resampler resampler = new Resampler(interpolation);
        assertThat(resampler.resize(PICTURE, 50, 30)).isEqualTo(PICTURE);
        RgbImage flat = new RgbImage(5, 4, filled(60, 201));
        for (int size : new int[] {1, 3, 5, 64}) {
            assertThat(resampler.resize(flat, size, size).pixels()).containsOnly((byte) 201);
        }
    }

    @Test
    void a_window_is_resized_as_if_it_had_been_cut_out_first() {
        Resampler resampler = new Resampler(Interpolation.BICUBIC);
        Window window = new Window(7, 5, 31, 22, false);
        assertThat(resampler.resize(PICTURE, window, 12, 40)).isEqualTo(resampler.resize(PICTURE.cut(window), 12, 40));
        assertThat(resampler.resize(PICTURE, window, 31, 9)).isEqualTo(resampler.resize(PICTURE.cut(window), 31, 9));
        assertThat(resampler.resize(PICTURE, window, 9, 22)).isEqualTo(resampler.resize(PICTURE.cut(window), 9, 22));
        assertThatThrownBy(() -> PICTURE.cut(new Window(40, 0, 11, 1, false))).hasMessageContaining("does not fit");
    }

    @Test
    void five_crops_are_the_corners_and_the_centre_and_ten_their_mirrors_too() {
        Crop five = new Crop.FiveCrop();
        Seed none = new Seed(0);
        assertThat(windows(five, 5))
                .containsExactly(
                        new Window(0, 0, 20, 20, false),
                        new Window(30, 0, 20, 20, false),
                        new Window(0, 10, 20, 20, false),
                        new Window(30, 10, 20, 20, false),
                        new Window(15, 5, 20, 20, false));
        List<Window> ten = windows(new Crop.TenCrop(), 10);
        assertThat(ten.subList(0, 5)).isEqualTo(windows(five, 5));
        assertThat(ten.get(9)).isEqualTo(new Window(15, 5, 20, 20, true));
        // torchvision rounds half to even: 2.5 becomes 2, 3.5 becomes 4
        assertThat(new Crop.Centre().window(0, 25, 27, 20, none)).isEqualTo(new Window(2, 4, 20, 20, false));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void random_windows_fit_and_differ_and_come_again_with_their_seed(long seed) {
        for (Crop crop : List.of(new Crop.RandomCrop(1), Crop.RandomResizedCrop.defaults(1))) {
            Set<Window> seen = new HashSet<>();
            for (int i = 0; i < 200; i++) {
                Window window = crop.window(0, 50, 30, 20, new Seed(seed).child(i));
                window.checkInside(50, 30);
                assertThat(crop.window(0, 50, 30, 20, new Seed(seed).child(i))).isEqualTo(window);
                seen.add(window);
            }
            assertThat(seen).hasSizeGreaterThan(100);
        }
    }

    @Test
    void a_random_resized_window_keeps_to_its_area_and_falls_back_to_the_centre_of_a_narrow_image() {
        Crop.RandomResizedCrop crop = new Crop.RandomResizedCrop(1, 0.25, 0.5, 2);
        for (int i = 0; i < 200; i++) {
            Window window = crop.window(0, 300, 200, 10, new Seed(i));
            assertThat(window.width() * window.height() / 60_000.0).isBetween(0.24, 0.51);
            assertThat((double) window.width() / window.height()).isBetween(0.49, 2.04);
        }
        Window middle = new Crop.RandomResizedCrop(1, 1, 1, 1).window(0, 1000, 3, 10, new Seed(1));
        assertThat(middle).isEqualTo(new Window(498, 0, 3, 3, false));
    }

    @Test
    void views_come_in_the_order_of_the_crops_and_mirrored_ones_are_mirrored() {
        Preprocessing ten = new Preprocessing(
                new Resize.Exact(50, 30),
                List.of(new Crop.TenCrop(), new Crop.Whole()),
                List.of(),
                Interpolation.BILINEAR,
                Normalisation.TORCHVISION,
                20);
        List<RgbImage> views = ten.viewsOf(PICTURE, new Seed(1));
        assertThat(views).hasSize(11);
        assertThat(views.get(3)).isEqualTo(PICTURE.cut(new Window(30, 10, 20, 20, false)));
        assertThat(views.get(8)).isEqualTo(views.get(3).mirrored()).isNotEqualTo(views.get(3));
        assertThat(views.get(10)).isEqualTo(new Resampler(Interpolation.BILINEAR).resize(PICTURE, 20, 20));
        assertThat(ten.isRandom()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void augmentations_depend_only_on_the_seed(long seed) {
        Preprocessing random = new Preprocessing(
                new Resize.ShortSide(24),
                List.of(new Crop.RandomCrop(4)),
                List.of(new Augmentation.Mirror(0.5), new ColourJitter(0.4, 0.4, 0.4, 0.2)),
                Interpolation.BILINEAR,
                Normalisation.CAFFE,
                20);
        assertThat(random.isRandom()).isTrue();
        assertThat(random.viewsOf(PICTURE, new Seed(seed))).isEqualTo(random.viewsOf(PICTURE, new Seed(seed)));
        assertThat(new HashSet<>(random.viewsOf(PICTURE, new Seed(seed)))).hasSize(4);
        assertThat(random.viewsOf(PICTURE, new Seed(seed))).isNotEqualTo(random.viewsOf(PICTURE, new Seed(seed + 1)));
    }

    @Test
    void a_mirror_mirrors_as_often_as_it_should() {
        int mirrored = 0;
        for (int i = 0; i < 400; i++) {
            mirrored +=
                    new Augmentation.Mirror(0.25).apply(PICTURE, new Seed(i)).equals(PICTURE) ? 0 : 1;
        }
        assertThat(mirrored).isBetween(70, 130);
    }

    @Test
    void caffe_is_bgr_minus_mean_and_torchvision_is_rgb_standardised() {
        RgbImage pixel = new RgbImage(1, 2, new byte[] {10, 20, 30, (byte) 200, (byte) 210, (byte) 220});
        float[] planes = new float[7];
        Normalisation.CAFFE.write(pixel, ChannelOrder.FIRST, planes, 1);
        assertThat(planes)
                .containsExactly(
                        new float[] {
                            0, 30 - 103.939f, 220 - 103.939f, 20 - 116.779f, 210 - 116.779f, 10 - 123.68f, 200 - 123.68f
                        },
                        within(1e-5f));
        float[] pixels = new float[6];
        Normalisation.TORCHVISION.write(pixel, ChannelOrder.LAST, pixels, 0);
        assertThat(pixels[4]).isEqualTo((210 / 255f - 0.456f) / 0.224f, within(1e-6f));
        assertThat(pixels[3]).isEqualTo((200 / 255f - 0.485f) / 0.229f, within(1e-6f));
        assertThatThrownBy(() -> Normalisation.CAFFE.write(pixel, ChannelOrder.LAST, pixels, 1))
                .hasMessageContaining("no room");
    }

    private static List<Window> windows(Crop crop, int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(view -> crop.window(view, 50, 30, 20, new Seed(0)))
                .toList();
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        java.util.Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
