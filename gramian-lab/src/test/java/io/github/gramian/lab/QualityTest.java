package io.github.gramian.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QualityTest {

    private static final List<String> CLASSES = List.of("a", "b", "c");

    /** The true class is the first one with its probability, so the probabilities are correct. */
    private static List<Prediction> predictions(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            float p = (float) (0.4 + 0.6 * random.nextDouble());
            float[] probabilities = {p, (1 - p) * 0.7f, (1 - p) * 0.3f};
            double uniform = random.nextDouble();
            int truth = uniform < p ? 0 : uniform < p + (1 - p) * 0.7 ? 1 : 2;
            predictions.add(Prediction.of("image " + i, CLASSES, probabilities).withTruth(truth));
        }
        return predictions;
    }

    @Test
    void calibrated_sets_have_their_coverage_and_are_no_larger_than_sets_of_equal_coverage() {
        List<Prediction> held = predictions(4000, 1);
        float[] scores = new float[held.size()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = 1 - held.get(i).probability(held.get(i).truth());
        }
        List<BenchSetsCommand.Row> rows = BenchSetsCommand.rows(
                predictions(4000, 2), new PredictionSets(PredictionSets.Source.VALIDATION, scores));
        assertThat(rows).extracting(BenchSetsCommand.Row::level).containsExactlyElementsOf(List.of(0.8, 0.9, 0.95));
        for (BenchSetsCommand.Row row : rows) {
            assertThat(row.coverage()).isCloseTo(row.level(), within(0.02));
            assertThat(row.lower()).isLessThan(row.level());
            assertThat(row.upper()).isGreaterThan(row.level());
            assertThat(row.massCoverage()).isGreaterThan(row.level());
            assertThat(row.equalMassSize()).isBetween(row.meanSize() - 0.02, row.massSize());
        }
    }

    @Test
    void the_interval_is_that_of_the_binomial_distribution() {
        // For 10 images at 0.7, P(X ≤ 3) = 0.011, P(X ≤ 4) = 0.047 and P(X ≤ 9) = 0.972.
        assertThat(BenchSetsCommand.quantile(10, 0.7, 0.025)).isEqualTo(4);
        assertThat(BenchSetsCommand.quantile(10, 0.7, 0.975)).isEqualTo(10);
    }

    @Test
    void separate_scores_have_an_area_of_one_and_equal_scores_of_one_half() {
        assertThat(BenchUnknownCommand.AverageBaselines.auroc(new double[] {1, 2}, new double[] {3, 4}))
                .isEqualTo(1);
        assertThat(BenchUnknownCommand.AverageBaselines.auroc(new double[] {3, 4}, new double[] {1, 2}))
                .isEqualTo(0);
        assertThat(BenchUnknownCommand.AverageBaselines.auroc(new double[] {1, 1}, new double[] {1, 1, 1}))
                .isEqualTo(0.5);
    }

    @Test
    void distances_on_averages_are_larger_away_from_the_training_images() {
        Random random = new Random(3);
        float[][] training = new float[60][];
        int[] labels = new int[60];
        for (int i = 0; i < 60; i++) {
            labels[i] = i % 2;
            training[i] = point(random, labels[i] == 0 ? 1 : 3, 0);
        }
        float[][] asked = {point(random, 1, 0), point(random, 3, 0), point(random, 1, 3)};
        double[] nearest = BenchUnknownCommand.AverageBaselines.nearest(training, asked);
        double[] mahalanobis = BenchUnknownCommand.AverageBaselines.mahalanobis(training, labels, asked);
        assertThat(nearest[2]).isGreaterThan(nearest[0]).isGreaterThan(nearest[1]);
        assertThat(mahalanobis[2]).isGreaterThan(5 * mahalanobis[0]).isGreaterThan(5 * mahalanobis[1]);
    }

    private static float[] point(Random random, double x, double y) {
        double[] centre = {x, 1, y};
        float[] point = new float[3];
        for (int i = 0; i < 3; i++) {
            point[i] = (float) (centre[i] + 0.1 * random.nextGaussian());
        }
        return point;
    }

    /** Points around one centre per class; the first class has most of the images. */
    private static BenchAnnotateCommand.Annotator imbalanced() {
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
        return new BenchAnnotateCommand.Annotator(points, truth, heldOut, 5);
    }

    @Test
    void chosen_labels_find_rare_classes_earlier_than_random_ones() {
        List<BenchAnnotateCommand.Annotator.Point> points = imbalanced().run(30, 4);
        assertThat(points.stream().map(BenchAnnotateCommand.Annotator.Point::labels))
                .containsExactly(5, 10, 15, 20, 25, 30);
        assertThat(points.get(1).difference().mean()).isGreaterThan(0.05);
        assertThat(BenchAnnotateCommand.Annotator.needed(points, 30).orElseThrow())
                .isLessThan(30);
        assertThat(imbalanced().available()).isEqualTo(144);
    }

    @Test
    void the_same_seeds_give_the_same_curves() {
        assertThat(imbalanced().run(20, 2)).isEqualTo(imbalanced().run(20, 2));
    }

    @Test
    void the_fewest_labels_with_the_accuracy_of_random_ones_are_counted() {
        List<BenchAnnotateCommand.Annotator.Point> points = IntStream.rangeClosed(1, 4)
                .mapToObj(i -> new BenchAnnotateCommand.Annotator.Point(
                        10 * i, spread(0.2 * i), spread(0.1 * i), spread(0.1 * i)))
                .toList();
        assertThat(BenchAnnotateCommand.Annotator.needed(points, 40)).hasValue(20);
        assertThat(BenchAnnotateCommand.Annotator.needed(points, 20)).hasValue(10);
    }

    private static Spread spread(double value) {
        return Spread.of(List.of(value, value));
    }
}
