package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SearchImagesTest {

    private static SearchImages of(int classes, int each) {
        int[] sizes = IntStream.generate(() -> each).limit(classes).toArray();
        List<String> names = IntStream.range(0, classes).mapToObj(i -> "c" + i).toList();
        return SearchImages.of(names, StratifiedFoldsTest.images(sizes), Groups.none(), new Seed(1));
    }

    @Test
    void rungs_are_nested_stratified_and_end_with_all_images() {
        SearchImages images = of(45, 80);
        assertThat(images.rungs().stream().map(List::size)).containsExactly(225, 900, 3600);
        assertThat(images.first()).as("eight images per class").isEqualTo(1);
        for (int rung = 0; rung < images.last(); rung++) {
            assertThat(images.rungs().get(rung + 1)).containsAll(images.rungs().get(rung));
        }
        assertThat(images.rungs().get(1).stream().filter(image -> image.label() == 7))
                .hasSize(20);
    }

    @Test
    void few_images_are_one_rung_and_very_many_are_bounded() {
        assertThat(of(3, 4).rungs()).hasSize(1);
        assertThat(of(3, 16).first())
                .as("all 48, since a quarter is too few to decide")
                .isEqualTo(of(3, 16).last());
        assertThat(of(2, 5000).rungs().get(of(2, 5000).last())).hasSize(SearchImages.MAX);
    }

    @Test
    void a_class_of_one_image_is_named() {
        List<Sample> images = StratifiedFoldsTest.images(5, 1);
        assertThatThrownBy(() -> SearchImages.of(List.of("oak", "ash"), images, Groups.none(), new Seed(1)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("'ash'")
                .hasMessageContaining("at least 4 images");
    }
}
