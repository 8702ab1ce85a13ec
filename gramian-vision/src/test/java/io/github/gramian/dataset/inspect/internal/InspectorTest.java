package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Trees;
import io.github.gramian.dataset.inspect.internal.PerceptualHash.HammingIndex;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InspectorTest {

    @TempDir
    Path root;

    private static Inspection inspect(Path root) {
        Layout layout = Layouts.detect(root);
        Dataset dataset = layout.open(root, layout.released(), 1, new Seed(0));
        return new Inspector(new ImageDecoder(ImageLimits.DEFAULT), 2).inspect(dataset, ContentHash.Progress.silent());
    }

    private void scene(String path, long seed) {
        SmallImages.write(root.resolve(path), Pictures.scene(seed, 120, 80));
    }

    @Test
    void classes_sizes_and_content_are_reported() {
        scene("train/ant/1.png", 1);
        scene("train/bee/2.png", 2);
        scene("train/bee/3.png", 3);
        scene("test/ant/4.png", 4);
        SmallImages.write(root.resolve("val/bee/5.png"), Pictures.scene(5, 300, 200));
        Inspection inspection = inspect(root);
        assertThat(inspection.classes())
                .containsExactly(
                        new Inspection.ClassCount("ant", Map.of("train", 1, "val", 0, "test", 1)),
                        new Inspection.ClassCount("bee", Map.of("train", 2, "val", 1, "test", 0)));
        assertThat(inspection.width()).contains(new Inspection.Range(120, 120, 300));
        assertThat(inspection.height()).contains(new Inspection.Range(80, 80, 200));
        assertThat(inspection.hash()).isEqualTo(ContentHash.of(inspection.dataset(), 1, ContentHash.Progress.silent()));
        assertThat(inspection.clean()).isTrue();
        assertThat(inspection.warnings()).isEmpty();
    }

    @Test
    void broken_files_are_listed_with_reasons_and_stop_nothing() throws IOException {
        scene("train/ant/fine.png", 1);
        scene("test/ant/fine.png", 2);
        byte[] whole = Files.readAllBytes(root.resolve("train/ant/fine.png"));
        Files.write(root.resolve("train/ant/cut.png"), java.util.Arrays.copyOf(whole, whole.length / 2));
        Files.write(root.resolve("train/ant/empty.jpg"), new byte[0]);
        Files.write(root.resolve("train/ant/empty2.jpg"), new byte[0]);
        Trees.text(root.resolve("test/ant/text.jpg"), List.of("this is text"));
        Files.createSymbolicLink(root.resolve("test/ant/loop.jpg"), root.resolve("test/ant/loop.jpg"));
        Files.copy(root.resolve("train/ant/fine.png"), root.resolve("train/ant/misnamed.jpg"));
        Inspection inspection = inspect(root);
        assertThat(inspection.broken())
                .extracting(Inspection.Broken::path, Inspection.Broken::split, Inspection.Broken::reason)
                .containsExactly(
                        tuple("test/ant/loop.jpg", "test", "BROKEN_LINK"),
                        tuple("test/ant/text.jpg", "test", "UNKNOWN_FORMAT"),
                        tuple("train/ant/cut.png", "train", "TRUNCATED"),
                        tuple("train/ant/empty.jpg", "train", "EMPTY"),
                        tuple("train/ant/empty2.jpg", "train", "EMPTY"));
        assertThat(inspection.broken())
                .allSatisfy(broken -> assertThat(broken.detail()).isNotBlank());
        assertThat(inspection.exact())
                .containsExactly(new Inspection.ExactGroup(
                        List.of("train/ant/fine.png", "train/ant/misnamed.jpg"), false, false));
        assertThat(inspection.clean()).isFalse();
    }

    @Test
    void a_missing_image_of_a_list_is_broken_in_its_split() throws IOException {
        Trees.dtd(root);
        Files.delete(root.resolve("images/banded/banded_0001.jpg"));
        assertThat(inspect(root).broken())
                .extracting(Inspection.Broken::path, Inspection.Broken::split, Inspection.Broken::reason)
                .containsExactly(tuple("images/banded/banded_0001.jpg", "test", "MISSING"));
    }

    @Test
    void equal_files_in_training_and_test_are_leaks_and_may_contradict_each_other() {
        scene("train/ant/1.png", 1);
        scene("test/ant/copy.png", 1);
        scene("train/ant/2.png", 2);
        scene("train/bee/other.png", 2);
        scene("val/bee/3.png", 3);
        scene("test/bee/4.png", 4);
        Inspection inspection = inspect(root);
        assertThat(inspection.exact())
                .containsExactly(
                        new Inspection.ExactGroup(List.of("test/ant/copy.png", "train/ant/1.png"), true, false),
                        new Inspection.ExactGroup(List.of("train/ant/2.png", "train/bee/other.png"), false, true));
        assertThat(inspection.exactLeaks()).isEqualTo(1);
        assertThat(inspection.near()).isEmpty();
        assertThat(inspection.warnings()).containsExactly("1 group of equal files has different labels");
    }

    @Test
    void a_retouched_copy_in_the_test_set_is_a_near_duplicate() {
        BufferedImage scene = Pictures.scene(1, 240, 160);
        SmallImages.write(root.resolve("train/ant/1.png"), scene);
        SmallImages.write(root.resolve("test/ant/again.jpg"), Pictures.retouched(scene, 180, 130));
        SmallImages.write(root.resolve("val/bee/2.png"), Pictures.scene(2, 240, 160));
        SmallImages.write(
                root.resolve("test/bee/again.jpg"), Pictures.retouched(Pictures.scene(2, 240, 160), 240, 160));
        SmallImages.write(root.resolve("train/bee/copy.png"), Pictures.retouched(scene, 100, 100));
        for (int i = 10; i < 40; i++) {
            scene((i % 2 == 0 ? "train/bee/" : "test/bee/") + i + ".png", i);
        }
        Inspection inspection = inspect(root);
        assertThat(inspection.near())
                .extracting(Inspection.NearPair::seen, Inspection.NearPair::test)
                .containsExactly(
                        tuple("train/ant/1.png", "test/ant/again.jpg"),
                        tuple("train/bee/copy.png", "test/ant/again.jpg"),
                        tuple("val/bee/2.png", "test/bee/again.jpg"));
        assertThat(inspection.near()).allMatch(pair -> pair.correlation() > 0.95 && pair.bits() <= 11);
    }

    @Test
    void regular_textures_and_blank_images_are_not_false_alarms() {
        for (int i = 0; i < 12; i++) {
            String part = i % 2 == 0 ? "train" : "test";
            SmallImages.write(root.resolve(part + "/stripes/" + i + ".png"), Pictures.stripes(5 + 0.05 * i, 0.3 * i));
            SmallImages.write(root.resolve(part + "/blank/" + i + ".png"), Pictures.blank(20 * i));
        }
        assertThat(inspect(root).near()).isEmpty();
    }

    @Test
    void warnings_name_incomplete_copies_untrained_classes_and_other_files() {
        Trees.fmd(root.resolve("fmd"), 3);
        assertThat(inspect(root.resolve("fmd")).warnings())
                .satisfiesExactly(
                        warning -> assertThat(warning).contains("3 of 10 classes, 9 of 1000 images"),
                        warning ->
                                assertThat(warning).contains("ignored 1 file ").contains("Thumbs.db"));
        Trees.splitTree(root.resolve("tree"));
        SmallImages.noise(root.resolve("tree/test/new/1.png"), 1);
        assertThat(inspect(root.resolve("tree")).warnings()).containsExactly("class new has no training image");
        SmallImages.noise(root.resolve("one/images/1.png"), 1);
        SmallImages.noise(root.resolve("one/images/2.png"), 2);
        assertThat(inspect(root.resolve("one")).warnings())
                .singleElement()
                .asString()
                .startsWith("there is only one class, 'images'");
    }

    @Test
    void every_file_is_reported_as_progress() {
        Trees.splitTree(root);
        AtomicInteger notified = new AtomicInteger();
        Layout layout = Layouts.detect(root);
        new Inspector(new ImageDecoder(ImageLimits.DEFAULT), 2)
                .inspect(
                        layout.open(root, layout.released(), 1, new Seed(0)),
                        (done, total) -> notified.incrementAndGet());
        assertThat(notified).hasValue(12);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"cub20, 1185, 0, 1", "kth-tips-grey, 810, 0, 0"})
    void real_datasets_have_no_broken_file(String folder, int images, int exactLeaks, int near) {
        assumeTrue(Files.isDirectory(Trees.shared(folder)), "no " + folder + " here");
        Inspection inspection = inspect(Trees.shared(folder));
        assertThat(inspection.dataset().samples()).hasSize(images);
        assertThat(inspection.broken()).isEmpty();
        assertThat(inspection.exactLeaks()).isEqualTo(exactLeaks);
        assertThat(inspection.near()).hasSize(near);
    }

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

    /** Images that differ, numbered from one. */
    private void images(String name, int count, long seed) {
        for (int i = 1; i <= count; i++) {
            SmallImages.noise(root.resolve(name).resolve(i + ".png"), seed + i);
        }
    }

    private List<String> warnings() {
        Layout layout = Layouts.detect(root);
        Dataset dataset = layout.open(root, layout.released(), 1, new Seed(0));
        return TrainingWarnings.of(dataset, ContentHash.sums(dataset, 1, ContentHash.Progress.silent()));
    }

    @Test
    void enough_different_images_need_no_warning() {
        images("train/ant", 10, 100);
        images("train/bee", 30, 200);
        images("test/ant", 2, 300);
        images("test/bee", 2, 400);
        assertThat(warnings()).isEmpty();
    }

    @Test
    void equal_files_in_two_classes_are_reported_with_an_example() {
        images("train/ant", 12, 100);
        images("train/bee", 12, 100);
        images("test/ant", 2, 300);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("12 images are in more than one class, such as train/ant/1.png and train/bee/1.png");
    }

    @Test
    void test_images_that_are_training_images_are_reported() {
        images("train/ant", 12, 100);
        images("train/bee", 12, 200);
        images("test/ant", 1, 100);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("1 test image is also a training or validation image, such as test/ant/1.png and");
    }

    @Test
    void a_single_image_per_class_recognises_few_unknown_images() {
        images("train/ant", 1, 100);
        images("train/bee", 2, 200);
        images("test/ant", 1, 300);
        images("test/bee", 1, 400);
        assertThat(warnings())
                .satisfiesExactly(
                        few -> assertThat(few).startsWith("2 classes have fewer"),
                        single -> assertThat(single)
                                .startsWith("1 class has a single image")
                                .contains("--unknown recognises few unknown images"));
    }

    @Test
    void two_images_per_class_are_few() {
        images("train/ant", 2, 100);
        images("train/bee", 12, 200);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .first()
                .asString()
                .startsWith("1 class has fewer than 10 images for training and validation; 'ant' has 2.");
    }

    @Test
    void one_large_class_is_an_imbalance() {
        images("train/ant", 60, 100);
        images("train/bee", 12, 200);
        images("test/bee", 2, 400);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith(
                        "the classes are unbalanced: 'ant' has 60 images for training and validation, 'bee' has 12.")
                .contains("mean class accuracy");
    }
}
