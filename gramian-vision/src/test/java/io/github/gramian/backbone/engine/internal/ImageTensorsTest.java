package io.github.gramian.backbone.engine.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.tensor.Scope;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ImageTensorsTest {

    private static final int SIZE = 16;

    private final Scope scope = Scope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    private static Tensor tensor(ChannelOrder order) {
        return ImageTensors.of(new InputPixels(List.of(values(1, order), values(2, order)), SIZE, order));
    }

    /** Two views of an image. */
    private static float[] values(int seed, ChannelOrder order) {
        float[] values = new float[2 * 3 * SIZE * SIZE];
        for (int view = 0; view < 2; view++) {
            RgbImage picture = Fixtures.picture(SIZE, SIZE, 10 * seed + view);
            Normalisation.TORCHVISION.write(picture, order, values, view * values.length / 2);
        }
        return values;
    }

    @Test
    void both_layouts_hold_the_same_values_each_in_its_memory() {
        Tensor planes = tensor(ChannelOrder.FIRST);
        Tensor pixels = tensor(ChannelOrder.LAST);
        assertThat(planes.equal(pixels)).isTrue();
        assertThat(planes.sizes().vec().get()).containsExactly(4, 3, 16, 16);
        assertThat(planes.strides().vec().get()).containsExactly(768, 256, 16, 1);
        assertThat(pixels.strides().vec().get()).containsExactly(768, 1, 48, 3);
    }

    @Test
    void rows_stand_in_the_order_of_images_and_views() {
        Tensor rows = tensor(ChannelOrder.FIRST).narrow(0, 2, 2).contiguous();
        float[] expected = values(2, ChannelOrder.FIRST);
        float[] found = new float[expected.length];
        rows.data_ptr_float().get(found);
        assertThat(found).containsExactly(expected);
    }

    @Test
    void no_images_make_an_empty_tensor() {
        Tensor none = ImageTensors.of(new InputPixels(List.of(), SIZE, ChannelOrder.LAST));
        assertThat(none.sizes().vec().get()).containsExactly(0, 3, 16, 16);
    }
}
