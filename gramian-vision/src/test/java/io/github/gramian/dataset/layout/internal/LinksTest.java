package io.github.gramian.dataset.layout.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.inspect.internal.TrainingWarnings;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which symbolic links bring images into a class. */
class LinksTest {

    @TempDir
    Path folder;

    private Path root = Path.of("");

    @BeforeEach
    void draw() throws IOException {
        root = folder.resolve("data");
        images("data/ant", "data/bee", "elsewhere/sub");
    }

    private void images(String... folders) {
        for (String name : folders) {
            for (int i = 0; i < 3; i++) {
                SmallImages.noise(folder.resolve(name).resolve(i + ".png"), name.hashCode() + i);
            }
        }
    }

    private void link(String link, String target) throws IOException {
        Path file = root.resolve(link);
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, Path.of(target));
    }

    private DividedDataset dataset() {
        Layout layout = Layouts.detect(root);
        return layout.open(root, layout.released(), 1, new Seed(0));
    }

    private static List<String> paths(DividedDataset dataset) {
        return dataset.samples().stream().map(Sample::path).toList();
    }

    @Test
    void a_link_to_the_folder_above_does_not_put_other_classes_into_a_class() throws IOException {
        link("ant/loop", "..");
        link("ant/above", "../..");
        DividedDataset dataset = dataset();
        assertThat(paths(dataset))
                .containsExactly("ant/0.png", "ant/1.png", "ant/2.png", "bee/0.png", "bee/1.png", "bee/2.png");
        assertThat(dataset.listing().skipped()).containsExactly("ant/above", "ant/loop");
        assertThat(TrainingWarnings.of(dataset, ContentHash.sums(dataset, 1, ContentHash.Progress.silent())))
                .first()
                .asString()
                .startsWith("2 links were not followed, such as ant/above");
    }

    @Test
    void links_to_another_class_are_not_followed() throws IOException {
        link("ant/bees", "../bee");
        link("ant/bee.png", "../bee/0.png");
        link("bee/1", "../ant");
        DividedDataset dataset = dataset();
        assertThat(dataset.samples()).hasSize(6);
        assertThat(dataset.listing().skipped()).containsExactly("ant/bee.png", "ant/bees", "bee/1");
    }

    @Test
    void links_to_images_outside_the_dataset_are_followed() throws IOException {
        link("ant/more", "../../elsewhere");
        link("ant/one.png", "../../elsewhere/sub/0.png");
        link("ant/own.png", "0.png");
        link("cat", "../elsewhere/sub");
        DividedDataset dataset = dataset();
        assertThat(dataset.classes()).containsExactly("ant", "bee", "cat");
        assertThat(paths(dataset)).contains("cat/0.png", "ant/own.png");
        // The folder that became a class is not elsewhere any more.
        assertThat(dataset.listing().skipped()).containsExactly("ant/more", "ant/one.png");
        Files.delete(root.resolve("cat"));
        assertThat(paths(dataset())).contains("ant/more/sub/0.png", "ant/one.png");
        assertThat(dataset().listing().skipped()).isEmpty();
    }

    @Test
    void links_between_the_splits_of_a_tree_are_not_followed() throws IOException {
        images("tree/train/ant", "tree/train/bee", "tree/test/bee", "tree/all");
        root = folder.resolve("tree");
        link("test/ant/seen.png", "../../train/ant/0.png");
        link("test/ant/new.png", "../../all/0.png");
        DividedDataset dataset = dataset();
        assertThat(dataset.listing().skipped()).containsExactly("test/ant/seen.png");
        assertThat(paths(dataset)).contains("test/ant/new.png");
    }

    @Test
    void images_without_labels_come_with_a_sentence_about_circles() throws IOException {
        link("ant/loop", "../..");
        List<String> notes = new ArrayList<>();
        assertThat(Layouts.images(root, notes::add)).hasSize(6);
        assertThat(notes).singleElement().asString().startsWith("1 link was not followed, such as ant/loop");
    }

    @Test
    void a_directory_that_cannot_be_searched_is_listed_for_the_decoder_to_reject() throws IOException {
        Path photos = root.resolve("photos");
        Path deep = Files.createDirectories(photos.resolve("d/".repeat(16)));
        Files.createFile(deep.resolve("unseen.png"));
        Files.createFile(photos.resolve("seen.png"));
        Files.createDirectories(photos.resolve("lost+found"));
        Files.createSymbolicLink(photos.resolve("unmounted"), root.resolve("nowhere"));
        Files.createSymbolicLink(photos.resolve("notes.txt"), root.resolve("nowhere"));
        assertThat(Layouts.images(photos))
                .containsExactly(deep, photos.resolve("seen.png"), photos.resolve("unmounted"));
    }

    @Test
    void a_directory_without_permission_is_listed_and_a_root_without_permission_is_refused() throws IOException {
        Path photos = root.resolve("photos");
        Path closed = Files.createDirectories(photos.resolve("closed"));
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(closed);
        Files.setPosixFilePermissions(closed, Set.of());
        try {
            assumeFalse(Files.isReadable(closed), "the administrator may read everything");
            assertThat(Layouts.images(photos)).containsExactly(closed);
            assertThatThrownBy(() -> Layouts.images(closed)).hasMessageContaining("check its permissions");
        } finally {
            Files.setPosixFilePermissions(closed, before);
        }
    }
}
