package io.github.gramian.train;

import io.github.gramian.dataset.Sample;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.TrainingSuspects;
import io.github.gramian.run.internal.TrainingSuspects.Suspect;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.ridge.internal.CrossValidation;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.Comparator;
import java.util.List;

/** Finds training images whose labels are probably wrong: each is predicted by a classifier in closed form that has not seen it. */
final class SuspiciousLabels {

    /** All pairs of images are compared: with this number, that takes less time than the rest of a training. */
    static final int MAX_IMAGES = 4000;

    private SuspiciousLabels() {}

    /** Whether this number of images and classes can be compared. */
    static boolean canCompare(int images, int classes) {
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
    static TrainingSuspects find(
            Network network, BatchSource images, List<Sample> samples, List<String> classes, Recipe recipe) {
        try (Scope scope = Scope.open()) {
            Seed start = new Seed(recipe.seed()).child("start");
            new Initialisation(network, images, recipe.initialisation(), start).runForClosedForm();
            try (CrossValidation rows = CrossValidation.of(network, images, recipe.ridge())) {
                LeftOutScores scores = LeftOutScores.of(rows, images.labels(), images.groups(), LeftOutScores.LAMBDAS);
                List<Suspect> suspects = scores.contradictions(images.labels(), images.groups()).stream()
                        .map(found -> new Suspect(
                                samples.get(found.image()).path(),
                                classes.get(samples.get(found.image()).label()),
                                classes.get(found.suggested()),
                                found.score()))
                        .sorted(Comparator.comparingDouble(Suspect::score)
                                .reversed()
                                .thenComparing(Suspect::file))
                        .toList();
                return new TrainingSuspects(samples.size(), scores.accuracy(), suspects);
            }
        }
    }
}
