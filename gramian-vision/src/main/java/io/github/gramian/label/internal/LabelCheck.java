package io.github.gramian.label.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.TrainingSuspects.Suspect;
import io.github.gramian.train.internal.SuspiciousLabels;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Compares the label of every image with what a classifier predicts that has not seen the image, and finds images that
 * resemble no other.
 *
 * @param images number of images that could be read
 * @param accuracy share of images whose label is the one that is predicted without them
 * @param suspects images for which another label is predicted, the most suspicious first
 * @param outliers images that are far from all others, the farthest first
 */
public record LabelCheck(int images, double accuracy, List<Suspect> suspects, List<Outlier> outliers) {

    /** Penalties to choose from. */
    public static final List<Double> LAMBDAS = LeftOutScores.LAMBDAS;

    private static final int NEIGHBOURS = 5;

    /** Median absolute deviations from the median: about one of 15,000 values of a normal distribution is beyond. */
    private static final double FAR = 4;

    /** The median absolute deviation of a normal distribution times this is its standard deviation. */
    private static final double DEVIATION = 1.4826;

    public LabelCheck {
        suspects = List.copyOf(suspects);
        outliers = List.copyOf(outliers);
    }

    /**
     * An image that resembles no other.
     *
     * @param file path relative to the dataset's root
     * @param given its label
     * @param score its distance from the nearest images, in standard deviations above the median
     */
    public record Outlier(String file, String given, double score) {}

    /**
     * Checks all images of a dataset, of every split.
     *
     * @param recipe names the backbone, and the network whose descriptors are compared
     * @param cache directory for features
     * @param listener receives the progress and the files that are left out
     */
    public static LabelCheck run(Dataset dataset, Recipe recipe, Path cache, TrainingListener listener)
            throws IOException {
        try (DescribedImages images = DescribedImages.of(dataset, recipe, cache, listener)) {
            return of(dataset, images);
        }
    }

    private static LabelCheck of(Dataset dataset, DescribedImages images) {
        List<Sample> samples = images.samples();
        int[] labels = samples.stream().mapToInt(Sample::label).toArray();
        int[] groups = images.groups();
        LeftOutScores scores = LeftOutScores.of(images.rows(), labels, groups, LAMBDAS);
        return new LabelCheck(
                samples.size(),
                scores.accuracy(),
                SuspiciousLabels.suspects(scores, groups, samples, dataset.classes()),
                outliers(dataset, samples, images.rows().distances(NEIGHBOURS)));
    }

    /** How much more another label speaks for an image than a given one: the difference of their scores. */
    public static double margin(LeftOutScores scores, int image, int given) {
        return scores.margin(image, given);
    }

    private static List<Outlier> outliers(Dataset dataset, List<Sample> samples, double[] distances) {
        double median = median(distances);
        double[] deviations = new double[distances.length];
        for (int i = 0; i < distances.length; i++) {
            deviations[i] = Math.abs(distances[i] - median);
        }
        double deviation = DEVIATION * median(deviations);
        List<Outlier> outliers = new ArrayList<>();
        for (int i = 0; i < distances.length && deviation > 0; i++) {
            double score = (distances[i] - median) / deviation;
            if (score > FAR) {
                Sample sample = samples.get(i);
                outliers.add(new Outlier(sample.path(), dataset.classes().get(sample.label()), score));
            }
        }
        outliers.sort(Comparator.comparingDouble(Outlier::score).reversed().thenComparing(Outlier::file));
        return outliers;
    }

    /** The median; of an even number of values, the upper one of the two in the middle. */
    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
