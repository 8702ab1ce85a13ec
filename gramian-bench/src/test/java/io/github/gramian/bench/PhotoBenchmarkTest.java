package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.bench.BenchPhotosCommand.PhotoBenchmark;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.tensor.Precision;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhotoBenchmarkTest {

    @Test
    void a_model_that_does_not_resize_is_refused_with_the_reason() {
        Normalisation normalisation = Normalisation.TORCHVISION;
        assertThat(PhotoBenchmark.shortSide(Preprocessing.centre(256, 224, Interpolation.BILINEAR, normalisation)))
                .isEqualTo(256);
        assertThatThrownBy(() ->
                        PhotoBenchmark.shortSide(Preprocessing.squeeze(224, Interpolation.BILINEAR, normalisation)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("views.margin");
    }

    @Test
    void without_photographs_there_is_nothing_to_measure() {
        assertThatThrownBy(() -> new PhotoBenchmark(1, 1, Precision.FLOAT).run(List.of(), Path.of("none")))
                .hasMessageContaining("at least one image file");
    }
}
