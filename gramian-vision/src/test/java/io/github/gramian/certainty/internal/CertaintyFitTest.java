package io.github.gramian.certainty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.certainty.PredictionSets.Source;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertaintyFitTest {

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

    private static Novelty fitted(float[][] rows, int[] labels) {
        return fitted(rows, labels, IntStream.range(0, rows.length).toArray());
    }

    private static Novelty fitted(float[][] rows, int[] labels, int[] groups) {
        return CertaintyFit.novelty(new CertaintyFit.Sketches(sketches(rows), labels, groups))
                .orElseThrow();
    }

    private static float[][] sketches(float[][] rows) {
        return Arrays.stream(rows).map(row -> Novelty.sketch(row, SIZE)).toArray(float[][]::new);
    }

    /** Over several drawn datasets, since the level of one set of calibration images itself varies. */
    @Test
    void new_images_of_known_classes_are_rejected_as_often_as_the_level_says() {
        int datasets = 10;
        int training = 200;
        int count = 400;
        double[] found = IntStream.rangeClosed(1, datasets)
                .boxed()
                .flatMapToDouble(seed -> {
                    Images images = new Images(seed);
                    Novelty reference = fitted(rows(images, labels(training)), labels(training));
                    return IntStream.range(0, count).mapToDouble(i -> reference.pValue(images.of(i % CLASSES)));
                })
                .toArray();
        for (double level : new double[] {0.01, 0.05, 0.1, 0.5}) {
            double share = Arrays.stream(found).filter(p -> p < level).count() / (double) found.length;
            double deviation = Math.sqrt(level * (1 - level) * (1.0 / training + 1.0 / count) / datasets);
            // Densities of nine tenths of the images are slightly worse, so p-values are slightly too large.
            assertThat(share).as("p below " + level).isBetween(0.8 * level - 3 * deviation, level + 3 * deviation);
        }
    }

    /** Each image five times: a fold that divided them would find calibration images far too typical. */
    @Test
    void images_of_a_group_do_not_calibrate_each_other() {
        Images images = new Images(9);
        int[] labels = labels(200);
        int[] groups = IntStream.range(0, 200).map(i -> i / 5).toArray();
        float[][] rows = new float[200][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i % 5 == 0 ? images.of(labels[i]) : rows[i - 1];
        }
        double together = rejected(images, fitted(rows, labels, groups));
        double divided = rejected(images, fitted(rows, labels));
        assertThat(together).isLessThan(0.2);
        assertThat(divided).isGreaterThan(0.5);
    }

    private static double rejected(Images images, Novelty reference) {
        return IntStream.range(0, 400)
                        .filter(i -> reference.pValue(images.of(i % CLASSES)) < 0.1)
                        .count()
                / 400.0;
    }

    /** The known classes differ in one direction; the unknown one lies between them, and differs in another one a little. */
    @Test
    void a_class_between_known_ones_is_found() {
        Random random = new Random(4);
        int[] labels = IntStream.range(0, 200).map(i -> i / 100).toArray();
        float[][] rows = IntStream.of(labels)
                .mapToObj(label -> planted(label == 0 ? -1 : 1, random))
                .toArray(float[][]::new);
        Novelty reference = fitted(rows, labels);
        long found = IntStream.range(0, 200)
                .filter(i -> reference.pValue(planted(0, random)) < 0.05)
                .count();
        assertThat(found).isGreaterThan(180);
    }

    private static float[] planted(float place, Random random) {
        float[] values = new float[SIZE];
        for (int i = 0; i < SIZE; i++) {
            values[i] = (float) (1 + 0.1 * random.nextGaussian());
        }
        values[0] += place;
        return values;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void images_of_an_unknown_class_have_small_p_values(long seed) {
        Images images = new Images(seed);
        Novelty reference = fitted(rows(images, labels(200)), labels(200));
        double share = IntStream.range(0, 200)
                        .filter(i -> reference.pValue(images.of(CLASSES)) < 0.05)
                        .count()
                / 200.0;
        assertThat(share).isGreaterThan(0.9);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 40, 100})
    void every_number_of_images_gives_a_score_for_each(int count) {
        Images images = new Images(count);
        Novelty reference = fitted(rows(images, labels(count)), labels(count));
        assertThat(reference.calibration()).hasSize(count).doesNotContain(0f);
        assertThat(reference.images()).isEqualTo(count);
        assertThat(reference.size()).isEqualTo(SIZE);
        assertThat(reference.rank()).isLessThanOrEqualTo(Math.min(SIZE, count - 1));
    }

    @Test
    void a_single_class_has_a_reference() {
        Images images = new Images(5);
        int[] one = new int[80];
        Novelty reference = fitted(rows(images, one), one);
        double known = IntStream.range(0, 200)
                .mapToDouble(i -> reference.pValue(images.of(0)))
                .average()
                .orElseThrow();
        assertThat(known).isBetween(0.4, 0.6);
    }

    @Test
    void equal_images_give_equal_references() {
        float[][] rows = rows(new Images(6), labels(50));
        Novelty one = fitted(rows, labels(50));
        Novelty other = fitted(rows, labels(50));
        assertThat(other.densities()).usingRecursiveComparison().isEqualTo(one.densities());
        assertThat(other.calibration()).isEqualTo(one.calibration());
    }

    @Test
    void images_that_are_all_alike_have_no_reference() {
        float[][] rows = new float[20][];
        Arrays.fill(rows, new Images(7).of(0));
        assertThat(CertaintyFit.novelty(new CertaintyFit.Sketches(sketches(rows), labels(20), labels(20))))
                .isEmpty();
    }

    @Test
    void a_descriptor_that_is_not_finite_is_refused() {
        float[][] rows = rows(new Images(8), labels(20));
        rows[3][2] = Float.NaN;
        assertThatThrownBy(() -> new CertaintyFit.Sketches(sketches(rows), labels(20), labels(20)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NaN");
    }

    /** Copies of one image per class: the variance inside classes is rounding, or exactly zero. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void classes_of_equal_images_have_a_reference_that_tells_other_images_from_them(long seed) {
        Images images = new Images(seed);
        float[][] one = rows(images, IntStream.range(0, CLASSES).toArray());
        int[] labels = labels(40);
        float[][] rows = IntStream.of(labels).mapToObj(label -> one[label]).toArray(float[][]::new);
        Novelty reference = fitted(rows, labels);
        assertThat(reference.calibration()).hasSize(40).doesNotContain(Float.NaN);
        float[] other = Novelty.sketch(images.of(CLASSES), SIZE);
        for (float[] known : sketches(one)) {
            assertThat(reference.score(known)).isLessThan(reference.score(other));
        }
    }

    @Test
    void training_images_calibrate_what_was_fitted_in_closed_form_and_validation_images_all_else() {
        assertThat(CertaintyFit.calibratedBy(false, true, true)).contains(Source.LEAVE_ONE_OUT);
        assertThat(CertaintyFit.calibratedBy(false, true, false)).contains(Source.LEAVE_ONE_OUT);
        assertThat(CertaintyFit.calibratedBy(false, false, true)).contains(Source.VALIDATION);
        assertThat(CertaintyFit.calibratedBy(false, false, false)).contains(Source.LEAVE_ONE_OUT);
        assertThat(CertaintyFit.calibratedBy(true, true, true)).contains(Source.VALIDATION);
        assertThat(CertaintyFit.calibratedBy(true, true, false)).isEmpty();
    }
}
