package io.github.gramian.label.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSessionTest {

    private static final int CLASSES = 4;
    private static final Seed SEED = new Seed(1);

    /** Labels whose effects are timed. */
    private static final int REPEATS = 21;

    /** Points around one centre per class; image i belongs to class i modulo the number of classes. */
    private static float[][] points(int images, int dimensions, double noise, long seed) {
        SplittableRandom random = new Seed(seed).random();
        double[][] centres = new double[CLASSES][dimensions];
        for (double[] centre : centres) {
            Arrays.setAll(centre, k -> random.nextGaussian());
        }
        float[][] points = new float[images][dimensions];
        for (int i = 0; i < images; i++) {
            for (int k = 0; k < dimensions; k++) {
                points[i][k] = (float) (centres[i % CLASSES][k] + noise * random.nextGaussian());
            }
        }
        return points;
    }

    private static void addClasses(LabelSession session) {
        for (int c = 0; c < CLASSES; c++) {
            assertThat(session.addClass()).isEqualTo(c);
        }
    }

    private static LabelSession labelled(float[][] points, int count) {
        LabelSession session = LabelSession.of(points, SEED);
        addClasses(session);
        for (int i = 0; i < count; i++) {
            session.label(i, i % CLASSES);
        }
        return session;
    }

    @Test
    void an_empty_session_suggests_images_that_cover_the_clusters_and_predicts_nothing() {
        try (LabelSession session = LabelSession.of(points(80, 10, 0.1, 1), SEED)) {
            assertThat(session.accuracy()).isEmpty();
            assertThat(session.suspects()).isEmpty();
            assertThat(session.newClass()).isEmpty();
            assertThat(session.probabilities(0)).isEmpty();
            assertThat(IntStream.of(session.next(CLASSES)).map(image -> image % CLASSES))
                    .as("one of each class")
                    .containsExactlyInAnyOrder(0, 1, 2, 3);
        }
    }

    @Test
    void a_few_labels_predict_all_images_of_separate_classes() {
        try (LabelSession session = labelled(points(80, 10, 0.1, 1), 12)) {
            for (int image = 0; image < session.images(); image++) {
                double[] p = session.probabilities(image);
                assertThat(Arrays.stream(p).sum()).isBetween(1 - 1e-9, 1 + 1e-9);
                assertThat(p[image % CLASSES]).isEqualTo(Arrays.stream(p).max().orElseThrow());
            }
            LabelSession.Accuracy accuracy = session.accuracy().orElseThrow();
            assertThat(accuracy.value()).isEqualTo(1);
            assertThat(accuracy.images()).isEqualTo(12);
            assertThat(accuracy.interval().lower()).isBetween(0.5, 0.99);
        }
    }

    @Test
    void a_class_without_an_image_has_probability_zero() {
        try (LabelSession session = labelled(points(80, 10, 0.1, 1), 3)) {
            assertThat(session.probabilities(3)[3]).isZero();
            session.label(3, 3);
            assertThat(session.probabilities(7)[3]).isGreaterThan(0.25);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void a_label_that_is_taken_back_leaves_no_trace(long seed) {
        float[][] points = points(90, 12, 1.5, seed);
        try (LabelSession session = labelled(points, 40)) {
            double[] probabilities = session.probabilities(77);
            int[] next = session.next(5);
            session.label(60, 3);
            session.label(5, 0);
            assertThat(session.probabilities(77)).isNotEqualTo(probabilities);
            session.unlabel(60);
            session.label(5, 5 % CLASSES);
            assertThat(session.probabilities(77)).isEqualTo(probabilities);
            assertThat(session.next(5)).isEqualTo(next);
        }
    }

    @Test
    void the_same_labels_in_another_order_give_the_same_results() {
        float[][] points = points(90, 12, 1.5, 3);
        try (LabelSession session = labelled(points, 40);
                LabelSession other = LabelSession.of(points, SEED)) {
            addClasses(other);
            for (int i = 39; i >= 0; i--) {
                other.label(i, i % CLASSES);
            }
            assertThat(other.probabilities(80)).isEqualTo(session.probabilities(80));
            assertThat(other.next(7)).isEqualTo(session.next(7));
            assertThat(other.clusters(5)).isDeepEqualTo(session.clusters(5));
            assertThat(other.map()).isDeepEqualTo(session.map());
            assertThat(other.accuracy()).isEqualTo(session.accuracy());
        }
    }

    @Test
    void suggested_images_have_no_label_and_are_different() {
        try (LabelSession session = labelled(points(50, 6, 1, 4), 45)) {
            assertThat(session.next(10)).containsExactlyInAnyOrder(45, 46, 47, 48, 49);
            assertThat(session.next(10, image -> image != 47)).containsExactlyInAnyOrder(45, 46, 48, 49);
            assertThat(session.next(0)).isEmpty();
        }
    }

    @Test
    void images_of_a_class_without_labels_are_suggested_first() {
        float[][] points = points(200, 10, 0.5, 5);
        try (LabelSession session = LabelSession.of(points, SEED)) {
            addClasses(session);
            for (int i = 0; i < 80; i++) {
                if (i % CLASSES != 2) {
                    session.label(i, i % CLASSES);
                }
            }
            assertThat(session.next(1)[0] % CLASSES).isEqualTo(2);
        }
    }

    @Test
    void a_cluster_that_fits_no_class_is_suggested_as_a_new_class() {
        float[][] points = points(200, 10, 0.3, 6);
        try (LabelSession session = LabelSession.of(points, SEED)) {
            addClasses(session);
            for (int i = 0; i < 80; i++) {
                if (i % CLASSES != 1) {
                    session.label(i, i % CLASSES);
                }
            }
            int[] members = session.newClass().orElseThrow();
            assertThat(members).hasSizeGreaterThanOrEqualTo(3);
            assertThat(IntStream.of(members).map(image -> image % CLASSES)).containsOnly(1);
            for (int i = 1; i < 200; i += CLASSES) {
                session.label(i, 1);
            }
            assertThat(session.newClass()).isEmpty();
        }
    }

    @Test
    void a_wrong_label_is_the_first_suspect_and_stands_next_to_its_neighbours() {
        float[][] points = points(80, 10, 0.3, 7);
        try (LabelSession session = labelled(points, 60)) {
            session.label(8, 3);
            List<LabelSession.Suspect> suspects = session.suspects();
            assertThat(suspects).hasSize(1);
            LabelSession.Suspect first = suspects.get(0);
            assertThat(first.image()).isEqualTo(8);
            assertThat(first.given()).isEqualTo(3);
            assertThat(first.suggested()).isZero();
            assertThat(first.score()).isBetween(0.5, 1.0);
            assertThat(IntStream.of(first.neighbours()).map(image -> image % CLASSES))
                    .containsOnly(0);
            assertThat(first.neighbours()).hasSize(5).doesNotContain(8);
        }
    }

    @Test
    void images_of_a_group_do_not_vouch_for_each_other() {
        float[][] points = points(64, 60, 3, 8);
        // Every second image is a copy of the one four places before it, with the same label.
        for (int i = 4; i < 64; i += 8) {
            for (int k = i; k < i + 4 && k < 64; k++) {
                points[k] = points[k - 4].clone();
            }
        }
        int[] groups = IntStream.range(0, 64).map(i -> i / 8 * 4 + i % 4).toArray();
        int[] labels = new SplittableRandom(1).ints(32, 0, CLASSES).toArray();
        try (LabelSession alone = LabelSession.of(points, SEED);
                LabelSession grouped = LabelSession.of(points, groups, SEED)) {
            addClasses(alone);
            addClasses(grouped);
            for (int i = 0; i < 64; i++) {
                alone.label(i, labels[groups[i]]);
                grouped.label(i, labels[groups[i]]);
            }
            assertThat(alone.accuracy().orElseThrow().value()).isGreaterThan(0.9);
            assertThat(grouped.accuracy().orElseThrow().value()).isLessThan(0.5);
        }
    }

    @Test
    void one_image_of_each_group_is_suggested_before_a_second_one() {
        float[][] points = points(60, 10, 0.5, 11);
        // Five photographs per object, of the same class.
        int[] groups = IntStream.range(0, 60).map(i -> i % 12).toArray();
        try (LabelSession session = LabelSession.of(points, groups, SEED)) {
            addClasses(session);
            for (int i = 0; i < 4; i++) {
                session.label(i, i);
            }
            int[] next = session.next(10);
            assertThat(IntStream.of(next).limit(8).map(image -> groups[image]))
                    .as("each object without a label once")
                    .containsExactlyInAnyOrder(4, 5, 6, 7, 8, 9, 10, 11);
            assertThat(next).hasSize(10).doesNotHaveDuplicates().doesNotContain(0, 1, 2, 3);
            assertThat(session.next(100)).hasSize(56);
        }
    }

    @Test
    void images_with_long_descriptors_are_no_clusters_of_their_own() {
        float[][] points = points(80, 40, 0.2, 12);
        for (int k = 0; k < 40; k++) {
            int column = k;
            float mean = (float) Arrays.stream(points)
                    .mapToDouble(point -> point[column])
                    .average()
                    .orElseThrow();
            for (int i = 0; i < 80; i++) {
                points[i][k] = (i < 8 ? 20 : 1) * (points[i][k] - mean);
            }
        }
        try (LabelSession session = LabelSession.of(points, SEED)) {
            for (int[] members : session.clusters(CLASSES)) {
                assertThat(members).hasSizeBetween(15, 25);
                assertThat(IntStream.of(members).map(image -> image % CLASSES).distinct())
                        .hasSize(1);
            }
        }
    }

    @Test
    void clusters_hold_every_image_once_and_are_sorted_by_size() {
        try (LabelSession session = LabelSession.of(points(83, 10, 0.1, 9), SEED)) {
            int[][] clusters = session.clusters(4);
            assertThat(Arrays.stream(clusters).flatMapToInt(Arrays::stream).sorted())
                    .containsExactlyElementsOf(IntStream.range(0, 83).boxed().toList());
            assertThat(Arrays.stream(clusters).map(members -> members.length)).containsExactly(21, 21, 21, 20);
            for (int[] members : clusters) {
                assertThat(IntStream.of(members).map(image -> image % CLASSES).distinct())
                        .hasSize(1);
            }
            assertThat(IntStream.of(session.neighbours(7, 3)).map(image -> image % CLASSES))
                    .containsOnly(3);
            assertThat(session.map()).hasDimensions(83, 2);
        }
    }

    @Test
    void what_cannot_be_labelled_is_refused() {
        assertThatThrownBy(() -> LabelSession.of(new float[][] {{1}}, SEED)).isInstanceOf(DatasetException.class);
        assertThatThrownBy(() -> LabelSession.of(new float[][] {{1, 2}, {1}}, SEED))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("same length");
        assertThatThrownBy(() -> LabelSession.of(new float[][] {{1}, {Float.NaN}}, SEED))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("NaN");
        LabelSession session = labelled(points(20, 3, 1, 1), 4);
        assertThatThrownBy(() -> session.label(0, CLASSES)).hasMessageContaining("add the class first");
        assertThatThrownBy(() -> session.label(20, 0)).hasMessageContaining("0..19");
        session.close();
        assertThatThrownBy(() -> session.neighbours(0, 1)).hasMessageContaining("closed");
    }

    @Test
    void equal_images_are_labelled_without_a_failure() {
        try (LabelSession session = LabelSession.of(new float[40][5], SEED)) {
            addClasses(session);
            for (int i = 0; i < 36; i++) {
                session.label(i, i % 2);
            }
            assertThat(session.probabilities(39)).containsExactly(0.5, 0.5, 0, 0);
            assertThat(session.next(2)).hasSize(2);
            assertThat(session.clusters(3)).isNotEmpty();
            assertThat(session.newClass()).isEmpty();
        }
    }

    @Test
    @Tag("speed")
    void a_label_among_two_thousand_of_fifty_thousand_images_updates_everything_in_time(TestReporter reporter) {
        try (LabelSession session = LabelSession.of(points(50_000, 256, 2, 1), SEED)) {
            for (int c = 0; c < 20; c++) {
                session.addClass();
            }
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < 2000; i++) {
                session.label(i, random.nextInt(20));
            }
            session.next(10);
            double[] accuracy = new double[REPEATS];
            double[] next = new double[REPEATS];
            for (int i = 0; i < REPEATS; i++) {
                session.label(2000 + i, i % CLASSES);
                long start = System.nanoTime();
                session.accuracy();
                accuracy[i] = (System.nanoTime() - start) / 1e9;
                session.next(1);
                next[i] = (System.nanoTime() - start) / 1e9;
            }
            Arrays.sort(accuracy);
            Arrays.sort(next);
            reporter.publishEntry("fit and leave-one-out", seconds(accuracy));
            reporter.publishEntry("from the label to the next suggestion", seconds(next));
            // The fastest of several labels, so that other work on the machine does not fail the test.
            assertThat(accuracy[0]).as("seconds for fit and leave-one-out").isLessThan(1);
            assertThat(next[0])
                    .as("seconds from the label to the next suggestion")
                    .isLessThan(0.2);
        }
    }

    private static String seconds(double[] sorted) {
        return String.format(
                Locale.ROOT,
                "median %.3f s, fastest %.3f s, slowest %.3f s",
                sorted[sorted.length / 2],
                sorted[0],
                sorted[sorted.length - 1]);
    }
}
