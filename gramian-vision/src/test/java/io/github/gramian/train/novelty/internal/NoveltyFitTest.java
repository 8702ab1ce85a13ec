package io.github.gramian.train.novelty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.model.novelty.internal.Sketch;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoveltyFitTest {

    private static final int SIZE = 60;
    private static final int CLASSES = 4;

    /** Draws images of classes around random centres. */
    private static final class Images {
        private final Random random;
        private final float[][] centres;

        Images(long seed) {
            this.random = new Random(seed);
            this.centres = new float[CLASSES + 1][];
            for (int c = 0; c <= CLASSES; c++) {
                centres[c] = gaussian(0.5);
            }
        }

        private float[] gaussian(double deviation) {
            float[] values = new float[SIZE];
            for (int i = 0; i < SIZE; i++) {
                values[i] = (float) (1 + deviation * random.nextGaussian());
            }
            return values;
        }

        /** One image of a class; class 4 is not among the training images. */
        float[] of(int label) {
            float[] values = gaussian(0.3);
            for (int i = 0; i < SIZE; i++) {
                values[i] += centres[label][i] - 1;
            }
            return values;
        }
    }

    private static int[] labels(int count) {
        return IntStream.range(0, count).map(i -> i * CLASSES / count).toArray();
    }

    private static float[][] rows(Images images, int[] labels) {
        return IntStream.of(labels).mapToObj(images::of).toArray(float[][]::new);
    }

    private static NoveltyReference fitted(float[][] rows, int[] labels) {
        try (Scope scope = Scope.open()) {
            return NoveltyFit.of(tensor(rows), labels).orElseThrow();
        }
    }

    private static Tensor tensor(float[][] rows) {
        float[] all = new float[rows.length * SIZE];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(Sketch.of(rows[i], SIZE), 0, all, i * SIZE, SIZE);
        }
        Tensor flat = torch.tensor(all).reshape(rows.length, SIZE);
        return Placement.cpu(Precision.DOUBLE).place(flat);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void new_images_of_known_classes_are_rejected_as_often_as_the_level_says(long seed) {
        Images images = new Images(seed);
        NoveltyReference reference = fitted(rows(images, labels(200)), labels(200));
        int count = 2000;
        double[] found = IntStream.range(0, count)
                .mapToDouble(i -> reference.novelty(images.of(i % CLASSES)))
                .toArray();
        for (double level : new double[] {0.05, 0.1, 0.5}) {
            double share = Arrays.stream(found).filter(p -> p < level).count() / (double) count;
            // The level of 200 calibration images itself varies with a standard deviation of this size.
            double deviation = Math.sqrt(level * (1 - level) * (1 / 200.0 + 1.0 / count));
            assertThat(share).as("p below " + level).isBetween(level - 3 * deviation, level + 3 * deviation);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void images_of_an_unknown_class_have_small_p_values(long seed) {
        Images images = new Images(seed);
        NoveltyReference reference = fitted(rows(images, labels(200)), labels(200));
        double share = IntStream.range(0, 200)
                        .filter(i -> reference.novelty(images.of(CLASSES)) < 0.05)
                        .count()
                / 200.0;
        assertThat(share).isGreaterThan(0.9);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 40, 100})
    void every_number_of_images_gives_a_score_for_each(int count) {
        Images images = new Images(count);
        NoveltyReference reference = fitted(rows(images, labels(count)), labels(count));
        assertThat(reference.calibration()).hasSize(count).doesNotContain(0f);
        assertThat(reference.prototypeCount()).isEqualTo(count);
        assertThat(reference.size()).isEqualTo(SIZE);
        assertThat(reference.rank()).isLessThanOrEqualTo(Math.min(SIZE, count - 1));
    }

    @Test
    void a_single_class_has_a_reference() {
        Images images = new Images(5);
        int[] one = new int[80];
        NoveltyReference reference = fitted(rows(images, one), one);
        double known = IntStream.range(0, 200)
                .mapToDouble(i -> reference.novelty(images.of(0)))
                .average()
                .orElseThrow();
        assertThat(known).isBetween(0.4, 0.6);
    }

    @Test
    void equal_images_give_equal_references() {
        float[][] rows = rows(new Images(6), labels(50));
        NoveltyReference one = fitted(rows, labels(50));
        NoveltyReference other = fitted(rows, labels(50));
        assertThat(other.components()).isEqualTo(one.components());
        assertThat(other.prototypes()).isEqualTo(one.prototypes());
        assertThat(other.calibration()).isEqualTo(one.calibration());
    }

    @Test
    void images_that_are_all_alike_have_no_reference() {
        float[] one = new Images(7).of(0);
        float[][] rows = new float[20][];
        Arrays.fill(rows, one);
        try (Scope scope = Scope.open()) {
            assertThat(NoveltyFit.of(tensor(rows), labels(20))).isEmpty();
        }
    }

    @Test
    void a_descriptor_that_is_not_finite_is_refused() {
        float[][] rows = rows(new Images(8), labels(20));
        rows[3][2] = Float.NaN;
        try (Scope scope = Scope.open()) {
            Tensor broken = tensor(rows);
            assertThatThrownBy(() -> NoveltyFit.of(broken, labels(20)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("NaN");
        }
    }
}
