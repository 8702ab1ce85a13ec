package io.github.gramian.dataset.layout.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Trees;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.recipe.DataConfig;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WrongTreeTest {

    @TempDir
    Path folder;

    private static Path manifest(Path root) {
        Trees.text(root.resolve("manifest.csv"), List.of("path,label", "a.png,x"));
        return root;
    }

    @TestFactory
    Stream<DynamicTest> a_layout_is_recognised_from_its_root() {
        Map<String, UnaryOperator<Path>> trees = Map.of(
                "dtd", Trees::dtd,
                "fmd", root -> Trees.fmd(root, 2),
                "kth-tips-2b", Trees::kthTips2b,
                "kth-tips", Trees::kthTips,
                "cub", Trees::cub,
                "aircraft-variant", Trees::aircraft,
                "folders", root -> Trees.classFolders(root, 2),
                "tree", Trees::splitTree,
                "csv", WrongTreeTest::manifest);
        return trees.entrySet().stream()
                .map(tree -> DynamicTest.dynamicTest(tree.getKey(), () -> {
                    Path root = tree.getValue().apply(folder.resolve(tree.getKey()));
                    assertThat(Layouts.detect(root).name()).isEqualTo(tree.getKey());
                }));
    }

    @Test
    void a_root_one_level_too_deep_or_too_high_is_reported() {
        Path root = Trees.dtd(folder.resolve("datasets/dtd"));
        Layout dtd = Layouts.named("dtd");
        assertThatThrownBy(() -> Layouts.require(dtd, root.resolve("images")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("no directory images/")
                .hasMessageContaining("one level up: " + root);
        assertThatThrownBy(() -> Layouts.require(dtd, folder.resolve("datasets")))
                .hasMessageContaining("one level down: " + root);
        Path birds = Trees.cub(folder.resolve("birds/CUB_200_2011"));
        assertThatThrownBy(() -> Layouts.require(Layouts.named("cub"), folder.resolve("birds")))
                .hasMessageContaining("no images.txt")
                .hasMessageContaining("one level down: " + birds);
    }

    @Test
    void a_part_of_a_known_dataset_is_not_taken_for_somebodys_folders_unless_it_is_named() {
        Path images = Trees.dtd(folder.resolve("dtd")).resolve("images");
        assertThatThrownBy(() -> Layouts.detect(images))
                .hasMessageContaining("a root of DTD")
                .hasMessageContaining("one level up")
                .hasMessageContaining("add --dataset folders if this part");
        Layouts.require(Layouts.named("folders"), images);
    }

    @Test
    void a_folder_that_does_not_belong_makes_it_another_layout() {
        Path tips = Trees.kthTips(folder.resolve("kth-tips"));
        SmallImages.noise(tips.resolve("ant/1.png"), 1);
        assertThat(Layouts.detect(tips).name()).isEqualTo("folders");
        assertThatThrownBy(() -> Layouts.require(Layouts.named("kth-tips"), tips))
                .hasMessageContaining("ant/ holds images");
        Path tips2b = Trees.kthTips2b(folder.resolve("kth-tips-2b"));
        SmallImages.noise(tips2b.resolve("ant/1.png"), 1);
        assertThatThrownBy(() -> Layouts.require(Layouts.named("kth-tips-2b"), tips2b))
                .hasMessageContaining("ant/ holds images but no sample_a/");
    }

    @Test
    void another_dataset_is_named() {
        Path root = Trees.cub(folder);
        assertThatThrownBy(() -> Layouts.require(Layouts.named("dtd"), root))
                .hasMessageContaining("no labels/train1.txt")
                .hasMessageContaining("this looks like CUB-200-2011, so use --dataset cub");
    }

    @Test
    void what_is_missing_is_named() throws IOException {
        Path dtd = Trees.dtd(folder.resolve("dtd"));
        Files.delete(dtd.resolve("labels/val2.txt"));
        assertThatThrownBy(() -> Layouts.named("dtd").list(dtd)).hasMessageContaining("no labels/val2.txt");
        assertComplaint("fmd", "empty", "no directory image/");
        Files.createDirectories(folder.resolve("unnamed/image/rubber"));
        assertComplaint("fmd", "unnamed", "no directory for a material");
        assertComplaint("kth-tips-2b", "empty", "sample_{a,b,c,d}");
        assertComplaint("kth-tips", "empty", "NN-scale_S_im_I_grey.png");
        assertComplaint("aircraft", "empty", "no directory data/images/");
        assertComplaint("tree", "empty", "expected train/");
        Files.createDirectories(folder.resolve("hollow/train"));
        Files.createDirectories(folder.resolve("hollow/test"));
        assertComplaint("tree", "hollow", "train/ has no directory with images");
        assertComplaint("csv", "empty", "expected a .csv file");
        assertComplaint("folders", "empty", "no directory with images");
        Path cub = Trees.cub(folder.resolve("cub"));
        Files.move(cub.resolve("images"), cub.resolve("pictures"));
        assertComplaint("cub", "cub", "no directory images/");
    }

    private void assertComplaint(String layout, String name, String expected) throws IOException {
        Path root = Files.createDirectories(folder.resolve(name));
        assertThatThrownBy(() -> Layouts.require(Layouts.named(layout), root))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(expected);
    }

    @Test
    void a_folder_that_nothing_fits_is_refused_with_the_choices() throws IOException {
        Path root = Files.createDirectories(folder.resolve("nothing"));
        assertThatThrownBy(() -> Layouts.detect(root))
                .hasMessageContaining("none of the known layouts")
                .hasMessageContaining("manifest.csv");
        assertThatThrownBy(() -> Layouts.detect(folder.resolve("absent"))).hasMessageContaining("does not exist");
        Path images = Trees.dtd(folder.resolve("dtd")).resolve("labels");
        assertThatThrownBy(() -> Layouts.detect(images)).hasMessageContaining("one level up");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret/a.jpg",
                "banded/../../a.jpg",
                "/etc/a.jpg",
                "C:/a.jpg",
                "banded\\..\\..\\a.jpg",
                "banded/a\u0001.jpg",
                "./",
                "alone.jpg"
            })
    void no_list_leads_out_of_the_root(String line) {
        Path root = Trees.dtd(folder);
        Trees.text(root.resolve("labels/test1.txt"), List.of("banded/banded_0001.jpg", line));
        assertThatThrownBy(() -> Layouts.named("dtd").list(root))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("test1.txt line 2");
    }

    @Test
    void an_image_in_two_lists_of_a_split_is_refused() {
        Path root = Trees.dtd(folder);
        Trees.text(root.resolve("labels/test1.txt"), List.of("banded/banded_0002.jpg"));
        assertThatThrownBy(() -> Layouts.named("dtd").list(root)).hasMessageContaining("is already in the train list");
    }

    @Test
    void lists_that_are_not_utf8_are_refused() throws IOException {
        Path root = Trees.dtd(folder);
        Files.write(root.resolve("labels/test1.txt"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 65});
        assertThatThrownBy(() -> Layouts.named("dtd").list(root)).hasMessageContaining("not UTF-8");
    }

    @Test
    void a_directory_of_images_is_one_class_and_the_note_names_the_way_to_several() {
        Path parts = folder.resolve("parts");
        SmallImages.noise(parts.resolve("good/a.png"), 1);
        SmallImages.noise(parts.resolve("good/b.png"), 2);
        DividedDataset flat = dataset(parts.resolve("good"));
        assertThat(flat.classes()).containsExactly("good");
        assertThat(flat.samples()).extracting(Sample::path).containsExactly("a.png", "b.png");
        assertThat(Layouts.oneClass(flat))
                .hasValueSatisfying(note -> assertThat(note)
                        .startsWith("there is only one class, 'good',")
                        .endsWith("put the images of each class into a separate directory"));
        assertThat(Layouts.oneClass(dataset(parts)))
                .hasValueSatisfying(note -> assertThat(note).endsWith("add images of other classes"));
        SmallImages.noise(parts.resolve("bad/a.png"), 3);
        assertThat(Layouts.oneClass(flat))
                .hasValueSatisfying(note -> assertThat(note).endsWith("name the directory above it: " + parts));
        assertThat(Layouts.oneClass(dataset(parts))).isEmpty();
        assertThat(Layouts.oneClass(dataset(folder)))
                .hasValueSatisfying(note -> assertThat(note).endsWith("such as " + parts));
    }

    @Test
    void images_next_to_directories_of_classes_are_reported() {
        Path root = Trees.classFolders(folder, 2);
        assertThat(Layouts.withoutClass(dataset(root))).isEmpty();
        SmallImages.noise(root.resolve("stray.png"), 1);
        assertThat(Layouts.withoutClass(dataset(root)))
                .hasValueSatisfying(note -> assertThat(note)
                        .startsWith("1 image directly in " + root)
                        .endsWith("is not used"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"labels/val2.txt", "images/banded/banded_0001.jpg"})
    void images_that_were_taken_for_a_known_dataset_can_be_read_as_folders(String missing) throws IOException {
        Path root = Trees.dtd(folder.resolve("dtd"));
        Files.delete(root.resolve(missing));
        String note = "If the images are not DTD (Describable Textures Dataset), add --dataset folders";
        DataConfig found = new DataConfig(root.toString(), null, "standard", 1, 0.1, null);
        if (missing.startsWith("labels")) {
            assertThatThrownBy(() -> found.open(new Seed(1))).hasMessageEndingWith(note);
        } else {
            assertThat(Layouts.incomplete(found.open(new Seed(1))))
                    .hasValueSatisfying(text -> assertThat(text).endsWith(note));
        }
        assertThatThrownBy(() -> new DataConfig(root.toString(), "cub", "standard", 1, 0.1, null).open(new Seed(1)))
                .hasMessageContaining("DTD")
                .message()
                .doesNotContain("--dataset folders");
    }

    private static DividedDataset dataset(Path root) {
        Layout layout = Layouts.detect(root);
        return layout.open(root, layout.released(), 1, new Seed(1));
    }
}
