package io.github.gramian.train.internal;

import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.TrainingSuspects;
import io.github.gramian.run.internal.TrainingSuspects.Suspect;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.CrossValidation;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.Comparator;
import java.util.List;

/** Finds training images whose labels are probably wrong: each is predicted by a classifier in closed form that has not seen it. */
public final class SuspiciousLabels {

    /** All pairs of images are compared: with this number, that takes less time than the rest of a training. */
    static final int MAX_IMAGES = 4000;

    private SuspiciousLabels() {}

    /** Whether this number of images and classes can be compared. */
    public static boolean canCompare(int images, int classes) {
        return images <= MAX_IMAGES && classes > 1;
    }

    /**
     * Compares all pairs of images.
     *
     * @param network has seen no label: descriptors that learned the label of their own image would confirm it
     * @param images with frozen features, and their groups, which are left out together
     * @param samples of the images, in their order
     * @param classes names of all classes
     * @throws IllegalArgumentException if the descriptors hardly differ
     */
    public static TrainingSuspects find(
            Network network, BatchSource images, List<Sample> samples, List<String> classes, Recipe recipe) {
        try (Scope scope = Scope.open()) {
            Seed start = new Seed(recipe.seed()).child("start");
            new Initialisation(network, images, recipe.initialisation(), start).runForClosedForm();
            try (CrossValidation rows = CrossValidation.of(network, images, recipe.ridge())) {
                LeftOutScores scores = LeftOutScores.of(rows, images.labels(), images.groups(), LeftOutScores.LAMBDAS);
                List<Suspect> suspects = suspects(scores, images.groups(), samples, classes);
                return new TrainingSuspects(samples.size(), scores.accuracy(), suspects);
            }
        }
    }

    /**
     * The images for which another label is predicted, the most suspicious first.
     *
     * @param groups number of the group of each image
     * @param samples of the images, in the order of the scores
     * @param classes names of all classes
     */
    public static List<Suspect> suspects(
            LeftOutScores scores, int[] groups, List<Sample> samples, List<String> classes) {
        int[] labels = samples.stream().mapToInt(Sample::label).toArray();
        return scores.contradictions(labels, groups).stream()
                .map(found -> new Suspect(
                        samples.get(found.image()).path(),
                        classes.get(labels[found.image()]),
                        classes.get(found.suggested()),
                        found.score()))
                .sorted(Comparator.comparingDouble(Suspect::score).reversed().thenComparing(Suspect::file))
                .toList();
    }
}
