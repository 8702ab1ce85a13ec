package io.github.gramian.spark.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageEntryTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.jpg",
                "b/a.JPEG",
                "a.jpe",
                "a.jfif",
                "x.y/a.b.png",
                "a.webp",
                "a.bmp",
                "a.tif",
                "a.tiff",
                "a.gif"
            })
    void names_of_images_are_those_of_datasets(String name) {
        assertThat(ImageEntry.isImage(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.txt", "a", "png", "photos.jpg/gif", ".jpg", "b/._a.jpg", "a.jpg.txt", ""})
    void other_names_are_not_images(String name) {
        assertThat(ImageEntry.isImage(name)).isFalse();
    }
}
