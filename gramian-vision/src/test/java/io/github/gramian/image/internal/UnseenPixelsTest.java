package io.github.gramian.image.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnseenPixelsTest {

    private static final Preprocessing CENTRE =
            Preprocessing.centre(256, 224, Interpolation.BILINEAR, Normalisation.TORCHVISION);

    @TempDir
    Path folder;

    private List<Path> images(int width, int height, int count, String ending) {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Path file = folder.resolve(width + "x" + height + "-" + i + "." + ending);
            SmallImages.write(file, new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB));
            files.add(file);
        }
        return files;
    }

    @ParameterizedTest
    @CsvSource({"1, 0.23", "1.3333333, 0.43", "1.5, 0.49", "1.7777778, 0.57"})
    void the_share_is_that_of_the_resized_image(double aspect, double unseen) {
        assertThat(UnseenPixels.unseen(CENTRE, aspect)).isCloseTo(unseen, within(0.005));
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "jpg"})
    void wide_and_high_photographs_get_a_note(String ending) {
        List<Path> files = new ArrayList<>(images(400, 300, 3, ending));
        files.addAll(images(300, 400, 2, ending));
        files.addAll(images(300, 300, 1, ending));
        assertThat(UnseenPixels.note(files, List.of(CENTRE)))
                .hasValueSatisfying(sentence -> assertThat(sentence)
                        .startsWith("5 of 6 images are much wider")
                        .endsWith("43 % of the pixels of a typical image are never seen"));
    }

    @Test
    void mostly_square_images_and_other_views_get_none() {
        List<Path> wide = images(400, 300, 3, "png");
        assertThat(UnseenPixels.note(wide, List.of(CENTRE.withCrops(List.of(new Crop.Whole())))))
                .isEmpty();
        assertThat(UnseenPixels.note(wide, List.of(CENTRE.withCrops(List.of(new Crop.FiveCrop())))))
                .isEmpty();
        List<Path> mixed = new ArrayList<>(wide);
        mixed.addAll(images(320, 300, 4, "png"));
        assertThat(UnseenPixels.note(mixed, List.of(CENTRE))).isEmpty();
    }

    @Test
    void files_without_a_size_are_left_out() throws IOException {
        Path text = Files.writeString(folder.resolve("text.jpg"), "no image");
        Path cut = folder.resolve("cut.png");
        Files.write(cut, new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        List<Path> files = List.of(text, cut, folder.resolve("missing.png"), folder);
        assertThat(UnseenPixels.note(files, List.of(CENTRE))).isEmpty();
    }
}
