package io.github.gramian.feature.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageFormat;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveFeaturesTest extends FeatureCacheFixture {

    private static final FeatureRequest TWO_SCALES =
            new FeatureRequest(List.of(new FeatureRequest.Input("res5b", 64), new FeatureRequest.Input("res5b", 128)));

    @Test
    void every_scale_gives_maps_of_the_same_images() {
        try (BatchSource.Stream stream = open(source(Integer.MAX_VALUE))) {
            BatchSource.Batch batch = stream.next();
            assertThat(batch.images()).containsExactly(0, 1);
            assertThat(batch.maps().get(0).sizes().vec().get()).containsExactly(2, 64, 4);
            assertThat(batch.maps().get(1).sizes().vec().get()).containsExactly(2, 64, 16);
        }
    }

    @Test
    void an_image_that_vanishes_before_the_second_scale_reads_it_is_refused() {
        try (BatchSource.Stream stream = open(source(1))) {
            assertThatThrownBy(stream::next)
                    .isInstanceOf(FeatureException.class)
                    .hasMessageContaining("cannot be read now");
        }
    }

    private static BatchSource.Stream open(ImageSource source) {
        List<Preprocessing> scales = TWO_SCALES.scales().stream()
                .map(scale -> Preprocessing.squeeze(scale.size(), Interpolation.BILINEAR, backbone.normalisation()))
                .toList();
        LiveFeatures features = new LiveFeatures(
                TWO_SCALES, backbone, source, scales, new int[] {0, 1}, Placement.cpu(Precision.FLOAT));
        return features.open(features.inOrder(), 2, new Seed(1));
    }

    /** Two images; the given one is missing for the larger scale, which alone needs every pixel of 400×400. */
    private static ImageSource source(int missing) {
        return new ImageSource() {
            @Override
            public int count() {
                return 2;
            }

            @Override
            public Decoded load(int index, Reduction reduction) {
                return index == missing && reduction.of(400, 400) == 1
                        ? new Decoded.Rejected(Rejection.MISSING, "")
                        : new Decoded.Picture(RgbImage.black(80, 80), ImageFormat.PNG);
            }
        };
    }
}
