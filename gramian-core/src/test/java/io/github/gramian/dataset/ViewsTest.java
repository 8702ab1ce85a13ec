package io.github.gramian.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewsTest {

    @Test
    void the_papers_textures_are_seen_fifteen_times_in_training_and_five_times_in_test() {
        Preprocessing training = Views.paperTextures().training(Interpolation.BILINEAR, Normalisation.CAFFE);
        Preprocessing test = Views.paperTextures().test(Interpolation.BILINEAR, Normalisation.CAFFE);
        assertThat(training.views()).isEqualTo(15);
        assertThat(training.size()).isEqualTo(224);
        assertThat(test.views()).isEqualTo(5);
        assertThat(test.isRandom()).isFalse();
        assertThat(Views.paperTextures().describe()).isEqualTo("resize short:256, train random:10+five, test five");
    }

    @Test
    void the_papers_birds_are_squeezed_and_everybody_elses_are_large() {
        assertThat(Views.paperFineGrained().training(Interpolation.BILINEAR, Normalisation.CAFFE))
                .isEqualTo(Preprocessing.squeeze(224, Interpolation.BILINEAR, Normalisation.CAFFE));
        Preprocessing usual = Views.usualFineGrained().training(Interpolation.BICUBIC, Normalisation.TORCHVISION);
        assertThat(usual.size()).isEqualTo(448);
        assertThat(usual.isRandom()).isTrue();
        assertThat(Views.usualFineGrained().test(Interpolation.BICUBIC, Normalisation.TORCHVISION))
                .isEqualTo(Preprocessing.centre(512, 448, Interpolation.BICUBIC, Normalisation.TORCHVISION));
    }

    @Test
    void crops_that_do_not_fit_are_refused_at_once() {
        assertThatThrownBy(() -> new Views(
                        224,
                        new Resize.ShortSide(100),
                        List.of(new Crop.Whole()),
                        List.of(),
                        List.of(new Crop.Centre())))
                .hasMessageContaining("does not fit");
    }
}
