package io.github.gramian.dataset.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Trees;
import io.github.gramian.dataset.internal.ContentHash.Twins;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentHashTest {

    @TempDir
    Path folder;

    private static DividedDataset open(Path root, int split) {
        Layout layout = Layouts.named("dtd");
        return layout.open(root, layout.released(), split, new Seed(1));
    }

    private static ContentHash hash(Path root, int split, int threads) {
        return ContentHash.of(open(root, split), threads, ContentHash.Progress.silent());
    }

    @Test
    void copies_of_a_dataset_have_one_hash_whatever_the_split_or_the_threads() {
        ContentHash hash = hash(Trees.dtd(folder.resolve("one")), 1, 1);
        assertThat(hash(Trees.dtd(folder.resolve("two")), 2, 4)).isEqualTo(hash);
        assertThat(hash.unreadable()).isEmpty();
    }

    @Test
    void the_hash_is_the_documented_one() throws Exception {
        Path root = folder.resolve("flat");
        Trees.text(root.resolve("b/2.png"), List.of("two"));
        Trees.text(root.resolve("a/1.png"), List.of("one"));
        Layout layout = Layouts.named("folders");
        DividedDataset dataset = layout.open(root, layout.released(), 1, new Seed(1));
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        String one = HexFormat.of().formatHex(sha.digest("one\n".getBytes(StandardCharsets.UTF_8)));
        String two = HexFormat.of().formatHex(sha.digest("two\n".getBytes(StandardCharsets.UTF_8)));
        byte[] lines = ("a/1.png\0" + one + "\0a\nb/2.png\0" + two + "\0b\n").getBytes(StandardCharsets.UTF_8);
        assertThat(ContentHash.of(dataset, 2, ContentHash.Progress.silent()).sha256())
                .isEqualTo(HexFormat.of().formatHex(sha.digest(lines)));
    }

    @Test
    void a_changed_byte_a_renamed_file_and_a_missing_file_change_the_hash() throws IOException {
        Path root = Trees.dtd(folder);
        String before = hash(root, 1, 2).sha256();
        Path image = root.resolve("images/banded/banded_0003.jpg");
        byte[] bytes = Files.readAllBytes(image);
        bytes[bytes.length - 1] ^= 1;
        Files.write(image, bytes);
        String changed = hash(root, 1, 2).sha256();
        Files.delete(image);
        ContentHash missing = hash(root, 1, 2);
        assertThat(Set.of(before, changed, missing.sha256())).hasSize(3);
        assertThat(missing.unreadable()).containsExactly("images/banded/banded_0003.jpg");
    }

    @Test
    void progress_counts_every_file_once() {
        Set<Integer> reported = new ConcurrentSkipListSet<>();
        ContentHash.of(open(Trees.dtd(folder), 1), 3, (files, total) -> {
            assertThat(total).isEqualTo(12);
            assertThat(reported.add(files)).isTrue();
        });
        assertThat(reported).hasSize(12).contains(1, 12);
    }

    @Test
    void the_evaluation_protocol_describes_the_dataset() {
        DividedDataset dataset = open(Trees.dtd(folder), 2);
        ContentHash hash = ContentHash.of(dataset, 1, ContentHash.Progress.silent());
        assertThat(dataset.evaluationProtocol(hash).fields())
                .containsEntry("dataset", "dtd")
                .containsEntry("contentHash", hash.sha256())
                .containsEntry("protocol", "released (official, val kept)")
                .containsEntry("split", "2")
                .containsEntry("seed", 1L)
                .containsEntry("counts", java.util.Map.of("train", 4, "val", 4, "test", 4));
        DividedDataset random =
                Layouts.named("dtd").open(folder, Layouts.named("dtd").protocol("paper"), 2, new Seed(9));
        assertThat(random.evaluationProtocol(hash).split()).isEqualTo("2 of seed 9");
    }

    private void file(String path, String content) throws IOException {
        Files.createDirectories(folder.resolve(path).getParent());
        Files.writeString(folder.resolve(path), content);
    }

    private Twins twins() {
        Layout layout = Layouts.detect(folder);
        Dataset dataset = layout.open(folder, layout.released(), 1, new Seed(0));
        return Twins.of(dataset, ContentHash.sums(dataset, 1, ContentHash.Progress.silent()));
    }

    @Test
    void test_images_are_twins_of_training_images_first_and_of_validation_images_otherwise() throws IOException {
        file("train/ant/1.png", "one");
        file("train/bee/2.png", "two");
        file("val/ant/3.png", "three");
        file("val/bee/1.png", "one");
        file("test/ant/copy.png", "one");
        file("test/ant/3.png", "three");
        file("test/bee/new.png", "new");
        file("test/bee/new-again.png", "new");
        Twins twins = twins();
        assertThat(twins.ofTraining()).containsExactly("test/ant/copy.png");
        assertThat(twins.ofValidation()).containsExactly("test/ant/3.png");
        assertThat(twins.count()).isEqualTo(2);
        assertThat(twins.paths()).containsExactlyInAnyOrder("test/ant/copy.png", "test/ant/3.png");
    }

    @Test
    void files_that_cannot_be_read_are_no_twins() throws IOException {
        file("train/ant/1.png", "one");
        file("test/ant/2.png", "two");
        for (String part : new String[] {"train", "test"}) {
            Files.createSymbolicLink(folder.resolve(part + "/ant/lost.png"), folder.resolve("nowhere.png"));
        }
        assertThat(twins().count()).isZero();
    }
}
