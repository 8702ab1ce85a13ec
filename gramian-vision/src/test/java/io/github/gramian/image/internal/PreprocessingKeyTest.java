package io.github.gramian.image.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class PreprocessingKeyTest {

    private static final Preprocessing PAPER = new Preprocessing(
            Preprocessing.Decoding.FULL,
            new Resize.ShortSide(256),
            List.of(new Crop.RandomCrop(10), new Crop.FiveCrop()),
            List.of(
                    new Augmentation.Mirror(0.5),
                    Augmentation.colourJitter(0.4, 0.3, 0.2, 0.1),
                    Augmentation.randomErasing(0.25)),
            Interpolation.BICUBIC,
            Normalisation.CAFFE,
            224);

    public static Interpolation interpolation(String key) {
        return key.equals("bicubic") ? Interpolation.BICUBIC : Interpolation.BILINEAR;
    }

    @Test
    void an_identity_is_written_and_read_back() {
        assertThat(PAPER.identity())
                .isEqualTo("resize=short:256;crops=random:10+five;augment=mirror:0.5+jitter:0.4:0.3:0.2:0.1+erase:0.25;"
                        + "interpolation=bicubic;normalise=caffe;size=224");
        assertThat(PreprocessingKey.parse(PAPER.identity())).isEqualTo(PAPER);
        assertThat(PAPER.views()).isEqualTo(15);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resize=none;crops=whole;augment=;interpolation=bilinear;normalise=torchvision;size=448",
                "resize=none;crops=whole;augment=corrupt:fog:3;interpolation=bilinear;normalise=caffe;size=224",
                "resize=none;crops=whole;augment=corrupt:fog,snow:1-5;interpolation=bilinear;normalise=caffe;size=224",
                "decode=reduced;resize=short:256;crops=centre;augment=;interpolation=bilinear;normalise=caffe;size=224",
                "resize=exact:320x256;crops=ten+centre;augment=;interpolation=bicubic;normalise=caffe;size=224",
                "resize=none;crops=random-resized:3:0.08:1.0:1.5;augment=;interpolation=bilinear;normalise=caffe;size=96"
            })
    void every_kind_of_key_reads_back_to_itself(String identity) {
        assertThat(PreprocessingKey.parse(identity).identity()).isEqualTo(identity);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "resize=none",
                "resize=long:3;crops=whole;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "decode=half;resize=none;crops=whole;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "resize=none;crops=whole:2;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "resize=short:9;crops=five:3;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "resize=short:9;crops=random;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "resize=none;crops=round;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "resize=none;crops=whole;augment=blur:1;interpolation=bilinear;normalise=caffe;size=9",
                "resize=none;crops=whole;augment=;interpolation=nearest;normalise=caffe;size=9",
                "resize=none;crops=whole;augment=;interpolation=bilinear;normalise=caffe;size=nine",
                "resize=none;crops=whole;augment=;interpolation=bilinear;normalise=caffe;size=9.5",
                "resize=none;crops=whole;augment=mirror;interpolation=bilinear;normalise=caffe;size=9",
                "resize=none;crops=whole;augment=;interpolation=bilinear;normalise=caffe;size=9;more=1",
                "resize=none;resize=none;crops=whole;augment=;interpolation=bilinear;normalise=caffe;size=9",
                "resize=none;crops=;augment=;interpolation=bilinear;normalise=caffe;size=9"
            })
    void an_invalid_key_is_refused_with_the_known_ones(String identity) {
        assertThatThrownBy(() -> PreprocessingKey.parse(identity)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_known_words_are_named_as_they_must_be_written() {
        assertThatThrownBy(() -> PreprocessingKey.parse(
                        "resize=none;crops=whole;augment=;interpolation=nearest;normalise=caffe;size=9"))
                .hasMessage("unknown interpolation 'nearest'; known: bilinear, bicubic");
    }

    @Test
    void a_crop_that_may_not_fit_is_refused_when_it_is_configured() {
        assertThatThrownBy(() -> Preprocessing.centre(200, 224, Interpolation.BILINEAR, Normalisation.CAFFE))
                .hasMessageContaining("short:224");
        assertThatThrownBy(() -> new Preprocessing(
                        Preprocessing.Decoding.FULL,
                        new Resize.None(),
                        List.of(new Crop.RandomCrop(1)),
                        List.of(),
                        Interpolation.BILINEAR,
                        Normalisation.CAFFE,
                        224))
                .hasMessageContaining("random:1");
        assertThatThrownBy(() -> new Resize.ShortSide(0)).hasMessageContaining("1..8192");
        assertThatThrownBy(() -> new Crop.RandomCrop(0)).hasMessageContaining("views");
        assertThatThrownBy(() -> new Crop.RandomResizedCrop(1, 0.5, 0.4, 2)).hasMessageContaining("minArea");
        assertThatThrownBy(() -> new Crop.RandomResizedCrop(1, 0.5, 0.6, 0.5)).hasMessageContaining("maxAspect");
        assertThatThrownBy(() -> new Augmentation.Mirror(2)).hasMessageContaining("0..1");
        assertThatThrownBy(() -> Augmentation.colourJitter(0, 0, 0, 0.6)).hasMessageContaining("hue");
    }
}
