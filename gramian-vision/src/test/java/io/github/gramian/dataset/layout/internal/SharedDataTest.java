package io.github.gramian.dataset.layout.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Trees;
import io.github.gramian.tensor.Seed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real datasets, where they are available. */
class SharedDataTest {

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
