package io.github.gramian.dataset.inspect.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Trees;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
