package io.github.gramian.dataset.layout.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.Trees;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.recipe.DataConfig;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutTest {

    private static final Seed SEED = new Seed(3);

    @TempDir
    Path root;

    private DividedDataset released(String layout, int split) {
        return Layouts.named(layout).open(root, Layouts.named(layout).released(), split, SEED);
    }

    private DividedDataset open(String layout, String protocol, int split) {
        return Layouts.named(layout).open(root, Layouts.named(layout).protocol(protocol), split, SEED);
    }

    private static List<String> paths(DividedDataset dataset, Split split) {
        return dataset.samples(split).stream().map(Sample::path).toList();
    }

    private static Map<String, Integer> counts(int train, int validation, int test) {
        return Map.of("train", train, "val", validation, "test", test);
    }

    @Test
    void dtd_is_read_with_its_numbered_splits() {
        Trees.dtd(root);
        DividedDataset first = released("dtd", 1);
        assertThat(first.classes()).containsExactly("banded", "zigzagged");
        assertThat(first.counts()).isEqualTo(counts(4, 4, 4));
        assertThat(paths(first, Split.TRAIN))
                .containsExactly(
                        "images/banded/banded_0002.jpg",
                        "images/banded/banded_0005.jpg",
                        "images/zigzagged/zigzagged_0002.jpg",
                        "images/zigzagged/zigzagged_0005.jpg");
        assertThat(first.samples(Split.TRAIN).get(3))
                .isEqualTo(new Sample("zigzagged/zigzagged_0005.jpg", "images/zigzagged/zigzagged_0005.jpg", 1));
        assertThat(released("dtd", 2).partition()).isNotEqualTo(first.partition());
        assertThat(first.file(first.samples().get(0))).exists();
        assertThatThrownBy(() -> released("dtd", 4)).hasMessageContaining("1..3");
    }

    @Test
    void dtd_protocols_train_on_train_and_val_or_on_random_thirds() {
        Trees.dtd(root);
        assertThat(open("dtd", "standard", 1).counts()).isEqualTo(counts(8, 0, 4));
        assertThat(paths(open("dtd", "standard", 1), Split.TEST)).isEqualTo(paths(released("dtd", 1), Split.TEST));
        assertThat(open("dtd", "paper", 1).counts()).isEqualTo(counts(8, 0, 4));
    }

    @Test
    void fmd_is_read_without_its_thumbnails_and_divided_by_protocol() {
        Trees.fmd(root, 10);
        DividedDataset half = open("fmd", "standard", 14);
        assertThat(half.classes()).containsExactly("fabric", "glass", "wood");
        assertThat(half.counts()).isEqualTo(counts(15, 0, 15));
        assertThat(half.listing().skipped()).containsExactly("image/fabric/Thumbs.db");
        assertThat(open("fmd", "ten-fold", 10).counts()).isEqualTo(counts(27, 0, 3));
        assertThat(open("fmd", "10-fold", 10).partition())
                .isEqualTo(open("fmd", "ten-fold", 10).partition());
        assertThat(open("fmd", "paper", 1).counts()).isEqualTo(counts(18, 0, 12));
    }

    @Test
    void kth_tips_2b_trains_on_one_sample_or_on_three() {
        Trees.kthTips2b(root);
        DividedDataset paper = open("kth-tips-2b", "paper", 2);
        assertThat(paper.classes()).containsExactly("aluminium_foil", "cork");
        assertThat(paper.counts()).isEqualTo(counts(6, 0, 18));
        assertThat(paths(paper, Split.TRAIN)).allMatch(path -> path.contains("/sample_b/"));
        DividedDataset standard = open("kth-tips-2b", "train-3-test-1", 2);
        assertThat(standard.protocol().name()).isEqualTo("standard");
        assertThat(standard.counts()).isEqualTo(counts(18, 0, 6));
        assertThat(paths(standard, Split.TEST)).isEqualTo(paths(paper, Split.TRAIN));
        assertThatThrownBy(() -> open("kth-tips-2b", "paper", 5)).hasMessageContaining("1..4");
    }

    @Test
    void kth_tips_trains_on_forty_of_eighty_one() {
        Trees.kthTips(root);
        DividedDataset dataset = released("kth-tips", 1);
        assertThat(dataset.counts()).isEqualTo(counts(80, 0, 82));
        assertThat(dataset.classes()).containsExactly("cotton", "sponge");
    }

    @Test
    void a_subset_of_cub_keeps_its_numbers() {
        Trees.cub(root);
        DividedDataset dataset = released("cub", 1);
        assertThat(dataset.classes()).containsExactly("004.Groove_billed_Ani", "009.Brewer_Blackbird");
        assertThat(dataset.counts()).isEqualTo(counts(3, 0, 2));
        assertThat(dataset.samples(Split.TEST))
                .containsExactly(
                        new Sample("179", "images/004.Groove_billed_Ani/one.jpg", 0),
                        new Sample("476", "images/009.Brewer_Blackbird/two.jpg", 1));
    }

    @Test
    void a_listed_image_is_a_sample_whether_or_not_its_file_is_there() throws IOException {
        Trees.cub(root);
        Files.delete(root.resolve("images/004.Groove_billed_Ani/two.jpg"));
        DividedDataset dataset = released("cub", 1);
        assertThat(dataset.samples(Split.TRAIN)).extracting(Sample::label).containsExactly(0, 1, 1);
        ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);
        assertThat(dataset.samples(Split.TRAIN))
                .extracting(sample -> decoder.decode(dataset.file(sample)) instanceof Decoded.Picture)
                .containsExactly(false, true, true);
    }

    @Test
    void a_file_that_is_listed_under_two_numbers_is_refused() {
        Trees.cub(root);
        Trees.text(
                root.resolve("images.txt"),
                List.of(
                        "179 004.Groove_billed_Ani/one.jpg",
                        "180 004.Groove_billed_Ani/one.jpg",
                        "475 009.Brewer_Blackbird/one.jpg",
                        "476 009.Brewer_Blackbird/two.jpg",
                        "477 009.Brewer_Blackbird/three.jpg"));
        assertThatThrownBy(() -> released("cub", 1))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("one.jpg is listed twice");
    }

    @Test
    void cub_lists_that_do_not_belong_together_are_refused() {
        Trees.cub(root);
        Trees.text(root.resolve("image_class_labels.txt"), List.of("179 4", "180 4", "475 9", "476 9"));
        assertThatThrownBy(() -> released("cub", 1)).hasMessageContaining("no line for image 477");
        Trees.cub(root);
        Trees.text(root.resolve("train_test_split.txt"), List.of("179 2", "180 1", "475 1", "476 0", "477 1"));
        assertThatThrownBy(() -> released("cub", 1)).hasMessageContaining("train_test_split.txt line 1");
        Trees.cub(root);
        Trees.text(root.resolve("classes.txt"), List.of("4 004.Groove_billed_Ani", "4 again"));
        assertThatThrownBy(() -> released("cub", 1)).hasMessageContaining("twice");
        Trees.text(root.resolve("classes.txt"), List.of("4"));
        assertThatThrownBy(() -> released("cub", 1)).hasMessageContaining("two fields");
    }

    @Test
    void aircraft_are_read_at_each_level_of_their_hierarchy() {
        Trees.aircraft(root);
        DividedDataset variants = released("aircraft", 1);
        assertThat(variants.name()).isEqualTo("aircraft-variant");
        assertThat(variants.classes()).containsExactly("Boeing 717", "707-320", "F/A-18");
        assertThat(variants.counts()).isEqualTo(counts(2, 1, 3));
        assertThat(variants.samples(Split.VALIDATION))
                .containsExactly(new Sample("0000003", "data/images/0000003.jpg", 1));
        assertThat(open("aircraft-variant", "standard", 1).counts()).isEqualTo(counts(3, 0, 3));
        DividedDataset makers = open("aircraft-manufacturer", "paper", 1);
        assertThat(makers.classes()).containsExactly("Boeing", "McDonnell Douglas");
        assertThat(makers.counts()).isEqualTo(counts(3, 0, 3));
        assertThatThrownBy(() -> released("aircraft-family", 1))
                .hasMessageContaining("no data/images_family_{train,val,test}.txt");
    }

    @Test
    void aircraft_lists_name_numbers_once_and_nothing_else() {
        Trees.aircraft(root);
        Path test = root.resolve("data/images_variant_test.txt");
        Trees.text(test, List.of("../../secret F/A-18"));
        assertThatThrownBy(() -> released("aircraft", 1)).hasMessageContaining("is not an image number");
        Trees.text(test, List.of("0000001 F/A-18"));
        assertThatThrownBy(() -> released("aircraft", 1)).hasMessageContaining("another list");
        Trees.text(test, List.of("0000004 Concorde"));
        assertThatThrownBy(() -> released("aircraft", 1)).hasMessageContaining("'Concorde'");
    }

    @Test
    void class_folders_are_read_at_any_depth() throws IOException {
        Trees.classFolders(root, 10);
        Files.createDirectories(root.resolve("empty"));
        Files.createSymbolicLink(root.resolve("ant/circle"), root.resolve("ant"));
        Files.createSymbolicLink(root.resolve("ant/loop.png"), root.resolve("ant/loop.png"));
        Trees.text(root.resolve("ant/.cache/hidden.png"), List.of());
        Trees.text(root.resolve("empty/.cache/hidden.png"), List.of());
        Trees.text(root.resolve("ant/notes.txt"), List.of());
        Files.move(root.resolve("zebra"), root.resolve(".elsewhere"));
        Files.createSymbolicLink(root.resolve("zebra"), root.resolve(".elsewhere"));
        DividedDataset dataset = released("folders", 1);
        assertThat(dataset.classes()).containsExactly("ant", "zebra");
        assertThat(dataset.samples()).hasSize(21).extracting(Sample::path).contains("ant/loop.png", "ant/0/2.png");
        assertThat(dataset.listing().skipped()).containsExactly("ant/circle", "ant/notes.txt");
        assertThat(dataset.counts()).isEqualTo(counts(17, 0, 4));
        assertThat(open("folders", "paper", 3).samples(Split.TEST)).isNotEmpty();
    }

    @Test
    void a_tree_with_splits_keeps_them() {
        Trees.splitTree(root);
        DividedDataset dataset = released("tree", 1);
        assertThat(dataset.classes()).containsExactly("ant", "zebra");
        assertThat(dataset.counts()).isEqualTo(counts(4, 4, 4));
        assertThat(paths(dataset, Split.VALIDATION)).allMatch(path -> path.startsWith("valid/"));
        assertThat(dataset.describeProtocol()).isEqualTo("released (official, val kept)");
        Dataset trained = new DataConfig(root.toString(), "tree", "standard", 1, 0.1, null).open(new Seed(1));
        assertThat(trained.counts()).isEqualTo(dataset.counts());
        assertThat(trained.describeProtocol()).isEqualTo("standard (official, val kept)");
        SmallImages.noise(root.resolve("val/ant/x.png"), 1);
        assertThatThrownBy(() -> released("tree", 1)).hasMessageContaining("are both val");
    }

    @Test
    void every_layout_offers_the_standard_and_the_papers_protocol() {
        for (Layout layout : Layouts.all()) {
            assertThat(layout.protocols()).extracting(Protocol::name).startsWith("standard", "paper");
            assertThat(layout.title()).isNotBlank();
        }
        assertThatThrownBy(() -> Layouts.named("fmd").protocol("new"))
                .hasMessageContaining("no protocol 'new'")
                .hasMessageContaining("ten-fold (ten folds");
        assertThatThrownBy(() -> Layouts.named("imagenet"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("dtd, cub");
    }

    @ParameterizedTest
    @CsvSource({
        "dtd, dtd, 45, 1797, 1797, 1794",
        "cub20, cub, 20, 600, 0, 585",
        "kth-tips-grey, kth-tips, 10, 400, 0, 410"
    })
    void real_datasets_are_recognised_and_counted(
            String folder, String name, int classes, int train, int validation, int test) {
        Path root = Trees.shared(folder);
        assumeTrue(Files.isDirectory(root), "no " + folder + " here");
        Layout layout = Layouts.detect(root);
        Dataset dataset = layout.open(root, layout.released(), 1, new Seed(0));
        assertThat(dataset.name()).isEqualTo(name);
        assertThat(dataset.classes()).hasSize(classes);
        assertThat(dataset.counts()).isEqualTo(Map.of("train", train, "val", validation, "test", test));
    }
}
