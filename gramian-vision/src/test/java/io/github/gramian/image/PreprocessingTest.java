package io.github.gramian.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.image.Augmentations.ColourJitter;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
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
        assertThat(new Resize.ShortSide(20).widthOf(50, 30)).isEqualTo(33);
        assertThat(new Resize.ShortSide(20).heightOf(50, 30)).isEqualTo(20);
        assertThat(new Resize.ShortSide(20).heightOf(30, 50)).isEqualTo(33);
        assertThat(new Resize.ShortSide(256).widthOf(30_000, 1)).isEqualTo(65_536);
        assertThat(new Resize.Exact(7, 9).widthOf(50, 30)).isEqualTo(7);
        assertThat(new Resize.Exact(7, 9).heightOf(50, 30)).isEqualTo(9);
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

    @ParameterizedTest
    @EnumSource(Interpolation.class)
    void a_part_is_resized_as_if_it_had_been_cut_out_afterwards(Interpolation interpolation) {
        Resampler resampler = new Resampler(interpolation);
        for (int[] size : new int[][] {{23, 14}, {50, 14}, {23, 30}, {50, 30}, {120, 71}, {23, 71}}) {
            RgbImage whole = resampler.resize(PICTURE, size[0], size[1]);
            for (Window part : List.of(
                    new Window(0, 0, 5, 5, false),
                    new Window(size[0] - 6, size[1] - 7, 6, 7, false),
                    new Window(4, 3, 11, 8, false))) {
                assertThat(resampler.resize(PICTURE, size[0], size[1], part)).isEqualTo(whole.cut(part));
            }
        }
    }

    @Test
    void views_are_cut_out_of_the_resized_image() {
        Preprocessing five = new Preprocessing(
                Preprocessing.Decoding.FULL,
                new Resize.ShortSide(20),
                List.of(new Crop.Centre(), new Crop.RandomCrop(3), new Crop.RandomResizedCrop(2, 0.3, 1, 1.5)),
                List.of(),
                Interpolation.BILINEAR,
                Normalisation.TORCHVISION,
                16);
        Resampler resampler = new Resampler(Interpolation.BILINEAR);
        RgbImage resized = resampler.resize(PICTURE, 33, 20);
        List<RgbImage> views = five.viewsOf(PICTURE, new Seed(7));
        int place = 0;
        for (Crop crop : five.crops()) {
            for (int v = 0; v < crop.views(); v++) {
                Seed seed = new Seed(7).child(place).child("crop");
                assertThat(views.get(place++))
                        .isEqualTo(resampler.resize(resized, crop.window(v, 33, 20, 16, seed), 16, 16));
            }
        }
    }

    @Test
    void a_photograph_is_reduced_as_long_as_twice_the_wanted_size_is_left() {
        Preprocessing centre = Preprocessing.centre(256, 224, Interpolation.BILINEAR, Normalisation.TORCHVISION);
        assertThat(centre.reduction(4000, 3000)).isEqualTo(4);
        assertThat(centre.reduction(3000, 4000)).isEqualTo(4);
        assertThat(centre.reduction(5000, 4096)).isEqualTo(8);
        assertThat(centre.reduction(5000, 4095)).isEqualTo(4);
        assertThat(centre.reduction(1024, 1024)).isEqualTo(2);
        assertThat(centre.reduction(9000, 1023)).isEqualTo(1);
        assertThat(decoded(Preprocessing.Decoding.FULL, new Resize.ShortSide(256), new Crop.Centre())
                        .reduction(4000, 3000))
                .isEqualTo(1);
        assertThat(decoded(Preprocessing.Decoding.REDUCED, new Resize.Exact(400, 300), new Crop.Centre())
                        .reduction(4000, 3000))
                .isEqualTo(4);
        assertThat(decoded(Preprocessing.Decoding.REDUCED, new Resize.None(), new Crop.Whole())
                        .reduction(4000, 3000))
                .isEqualTo(4);
        // A window of unknown size may need every pixel.
        assertThat(decoded(
                                Preprocessing.Decoding.REDUCED,
                                new Resize.None(),
                                new Crop.RandomResizedCrop(1, 0.1, 1, 1.3))
                        .reduction(4000, 3000))
                .isEqualTo(1);
    }

    private static Preprocessing decoded(Preprocessing.Decoding decoding, Resize resize, Crop crop) {
        return new Preprocessing(
                decoding, resize, List.of(crop), List.of(), Interpolation.BILINEAR, Normalisation.TORCHVISION, 224);
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
        for (Crop crop : List.of(new Crop.RandomCrop(1), new Crop.RandomResizedCrop(1, 0.08, 1, 4.0 / 3))) {
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
                Preprocessing.Decoding.FULL,
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
                Preprocessing.Decoding.FULL,
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
                .hasMessageContaining("no space");
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
