package io.github.gramian.bench.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.internal.Spread;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnnotatorBenchmarkTest {

    /** Points around one centre per class; the first class has most of the images. */
    private static AnnotatorBenchmark imbalanced() {
        SplittableRandom random = new SplittableRandom(3);
        int images = 240;
        float[][] points = new float[images][8];
        int[] truth = new int[images];
        boolean[] heldOut = new boolean[images];
        for (int i = 0; i < images; i++) {
            truth[i] = i % 2 == 0 || i % 10 == 1 ? 0 : i % 10 / 2;
            heldOut[i] = i % 3 == 0;
            for (int k = 0; k < 8; k++) {
                points[i][k] = (float) ((k == truth[i] ? 4 : 0) + random.nextGaussian());
            }
        }
        return new AnnotatorBenchmark(points, truth, heldOut, 5);
    }

    @Test
    void chosen_labels_find_rare_classes_earlier_than_random_ones() {
        List<AnnotatorBenchmark.Point> points = imbalanced().run(30, 4);
        assertThat(points.stream().map(AnnotatorBenchmark.Point::labels)).containsExactly(5, 10, 15, 20, 25, 30);
        assertThat(points.get(1).difference().mean()).isGreaterThan(0.05);
        assertThat(AnnotatorBenchmark.needed(points, 30).orElseThrow()).isLessThan(30);
        assertThat(imbalanced().available()).isEqualTo(144);
    }

    @Test
    void the_same_seeds_give_the_same_curves() {
        assertThat(imbalanced().run(20, 2)).isEqualTo(imbalanced().run(20, 2));
    }

    @Test
    void the_fewest_labels_with_the_accuracy_of_random_ones_are_counted() {
        List<AnnotatorBenchmark.Point> points = IntStream.rangeClosed(1, 4)
                .mapToObj(i -> new AnnotatorBenchmark.Point(10 * i, spread(0.2 * i), spread(0.1 * i), spread(0.1 * i)))
                .toList();
        assertThat(AnnotatorBenchmark.needed(points, 40)).hasValue(20);
        assertThat(AnnotatorBenchmark.needed(points, 20)).hasValue(10);
    }

    private static Spread spread(double value) {
        return Spread.of(List.of(value, value));
    }
}
